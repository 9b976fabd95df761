import { Module } from '@nestjs/common';
import { RunWaiters } from './run-waiters.js';

/** The held reads of this process, for who holds them and for who works on what they wait for. */
@Module({ providers: [RunWaiters], exports: [RunWaiters] })
export class WaitersModule {}

import { Module } from '@nestjs/common';
import { RunWaiters } from './run-waiters.js';

/** Provides the held reads of this process to the controllers that hold them and to the workers that end them. */
@Module({ providers: [RunWaiters], exports: [RunWaiters] })
export class WaitersModule {}

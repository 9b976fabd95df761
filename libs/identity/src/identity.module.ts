import { Module } from '@nestjs/common';
import { IdentityStore } from './identity.store.js';

/** Organisations, users and keys. Wants the database of the global platform module. */
@Module({ providers: [IdentityStore], exports: [IdentityStore] })
export class IdentityModule {}

import { Module } from '@nestjs/common';
import { IdentityController } from './identity.controller.js';
import { IdentityStore } from './identity.store.js';
import { UserKeysStore } from './keys/user-keys.store.js';
import { AuditPages } from './members/audit-pages.js';
import { MemberStore } from './members/member.store.js';
import { PasswordChecks } from './password-checks.js';
import { LoginAttempts } from './sessions/login-attempts.js';
import { SessionFinder } from './sessions/session-finder.js';
import { SessionStore } from './sessions/session.store.js';

/** Organisations, users, keys, and the lookup of sessions. Requires the database of the global platform module. */
@Module({ providers: [IdentityStore, SessionFinder], exports: [IdentityStore, SessionFinder] })
export class IdentityModule {}

/** Handles the calls for sessions, members, keys and the audit log. Requires a KeyCapsPort from a global module. */
@Module({
  controllers: [IdentityController],
  providers: [LoginAttempts, PasswordChecks, SessionStore, MemberStore, UserKeysStore, AuditPages],
})
export class IdentityApiModule {}

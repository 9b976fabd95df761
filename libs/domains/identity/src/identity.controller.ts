import { Controller } from '@nestjs/common';
import { IDENTITY_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { UserKeysStore } from './keys/user-keys.store.js';
import { AuditPages } from './members/audit-pages.js';
import { MemberStore } from './members/member.store.js';
import { SessionStore } from './sessions/session.store.js';

type Rpc = typeof IDENTITY_RPC;

/** Handles the calls for sessions, members, keys and the audit log. */
@Controller()
export class IdentityController {
  constructor(
    private readonly sessions: SessionStore,
    private readonly members: MemberStore,
    private readonly keys: UserKeysStore,
    private readonly audit: AuditPages,
  ) {}

  /** @throws AppError not_authenticated, rate_limited */
  @Answers(IDENTITY_RPC.openSession)
  openSession(ctx: Ctx, request: RequestOf<Rpc['openSession']>) {
    return 'link' in request
      ? this.sessions.openByLink(ctx, request.visitor, request.link)
      : this.sessions.openByPassword(ctx, request.visitor, request);
  }

  /** @throws AppError not_found */
  @Answers(IDENTITY_RPC.endSession)
  async endSession(ctx: Ctx, { actor, sessionId }: RequestOf<Rpc['endSession']>) {
    await this.sessions.endSession(ctx, actor, sessionId);
    return null;
  }

  /** @throws AppError invalid_request, rate_limited */
  @Answers(IDENTITY_RPC.changePassword)
  async changePassword(
    ctx: Ctx,
    { actor, visitor, currentPassword, password }: RequestOf<Rpc['changePassword']>,
  ) {
    await this.sessions.changePassword(ctx, actor, visitor, { current: currentPassword, next: password });
    return null;
  }

  @Answers(IDENTITY_RPC.listSessions)
  listSessions(ctx: Ctx, { actor }: RequestOf<Rpc['listSessions']>) {
    return this.sessions.listSessions(ctx, actor);
  }

  @Answers(IDENTITY_RPC.listKeys)
  listKeys(ctx: Ctx, { actor }: RequestOf<Rpc['listKeys']>) {
    return this.keys.listKeys(ctx, actor);
  }

  /** @throws AppError invalid_request, idempotency_conflict */
  @Answers(IDENTITY_RPC.createKey)
  createKey(
    ctx: Ctx,
    { actor, capDay: day, capMonth: month, idempotencyKey, ...wanted }: RequestOf<Rpc['createKey']>,
  ) {
    return this.keys.createKey(ctx, actor, { ...wanted, day, month }, idempotencyKey ?? null);
  }

  /** @throws AppError not_found */
  @Answers(IDENTITY_RPC.revokeKey)
  async revokeKey(ctx: Ctx, { actor, keyId }: RequestOf<Rpc['revokeKey']>) {
    await this.keys.revokeKey(ctx, actor, keyId);
    return null;
  }

  @Answers(IDENTITY_RPC.listMembers)
  listMembers(ctx: Ctx) {
    return this.members.listMembers(ctx);
  }

  /** @throws AppError invalid_request */
  @Answers(IDENTITY_RPC.inviteMember)
  inviteMember(ctx: Ctx, { actor, ...invited }: RequestOf<Rpc['inviteMember']>) {
    return this.members.inviteMember(ctx, actor, invited);
  }

  /** @throws AppError not_found, invalid_request */
  @Answers(IDENTITY_RPC.changeMember)
  changeMember(ctx: Ctx, { memberId, role }: RequestOf<Rpc['changeMember']>) {
    return this.members.changeMember(ctx, memberId, role);
  }

  /** @throws AppError not_found, invalid_request */
  @Answers(IDENTITY_RPC.removeMember)
  async removeMember(ctx: Ctx, { memberId }: RequestOf<Rpc['removeMember']>) {
    await this.members.removeMember(ctx, memberId);
    return null;
  }

  /** @throws AppError not_authenticated, rate_limited, invalid_request */
  @Answers(IDENTITY_RPC.acceptInvitation)
  acceptInvitation(ctx: Ctx, { visitor, ...accepted }: RequestOf<Rpc['acceptInvitation']>) {
    return this.members.acceptInvitation(ctx, visitor, accepted);
  }

  /** @throws AppError invalid_cursor */
  @Answers(IDENTITY_RPC.listAudit)
  listAudit(ctx: Ctx, page: RequestOf<Rpc['listAudit']>) {
    return this.audit.listAudit(ctx, page);
  }
}

import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Actor, UserRole } from '@quarry/dto';
import { systemCtx, type Ctx } from '@quarry/app';
import { IdempotentRequests } from '@quarry/postgres';
import { countWaiting, useTestDatabase, runBehind, testCtx } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { IdentityStore } from '../identity.store.js';
import { KeyCapsPort } from '../keys/key-caps.port.js';
import { UserKeysStore } from '../keys/user-keys.store.js';
import { PasswordChecks } from '../password-checks.js';
import { LoginAttempts } from '../sessions/login-attempts.js';
import { SessionStore } from '../sessions/session.store.js';
import { MemberStore } from './member.store.js';

const system = systemCtx('spec');
const VISITOR = { address: '192.0.2.1', agent: 'spec', attempts: { account: 5, address: 20 } };
const KEY = { name: 'k', mode: 'live' as const, expiresAt: null, day: null, month: null };

class NoCaps extends KeyCapsPort {
  setCaps = () => Promise.resolve();
  capsOf = () => Promise.resolve({ day: null, month: null });
}

describe('two requests at once', () => {
  const test = useTestDatabase();
  let members: MemberStore;
  let keys: UserKeysStore;
  let ctx: Ctx;
  let owner: Actor;
  let second: Actor;

  beforeAll(() => {
    const { database } = test;
    const [attempts, passwords] = [new LoginAttempts(database), new PasswordChecks()];
    const sessions = new SessionStore(database, attempts, passwords);
    members = new MemberStore(database, attempts, passwords, sessions);
    keys = new UserKeysStore(database, new IdempotentRequests(database), new NoCaps());
  });
  beforeEach(async () => {
    const store = new IdentityStore(test.database);
    const { orgId, userId } = await store.createOrganisation(system, { name: 'Spec' });
    const made = await store.createUser(system, { orgId, email: `second@${orgId}.example`, role: 'owner' });
    const actor = (id: string, role: UserRole): Actor => ({ userId: id, role, sessionId: 'session_spec' });
    [ctx, owner, second] = [testCtx(orgId), actor(userId, 'owner'), actor(made.userId, 'owner')];
  });

  const raceAgainst = <Result>(
    first: (tx: Ctx) => Promise<unknown>,
    later: () => Promise<Result>,
    waiters = 1,
  ) => runBehind(test.database, ctx, first, later, { waiters });

  it('leave no key to a member who is being removed', async () => {
    const made = raceAgainst(
      (tx) => members.removeMember(tx, second.userId),
      () => keys.createKey(ctx, second, KEY),
    );
    await expect(made).rejects.toMatchObject({ code: 'not_found' });
    expect((await keys.listKeys(ctx, owner)).items.map(({ user }) => user.id)).not.toContain(second.userId);
  });

  it('leave no key to them that an operator creates meanwhile', async () => {
    const made = raceAgainst(
      (tx) => members.removeMember(tx, second.userId),
      () =>
        new IdentityStore(test.database).createKey(system, {
          orgId: ctx.orgId,
          userId: second.userId,
          mode: 'live',
        }),
    );
    await expect(made).rejects.toThrow('has no user of this id');
  });

  it('leave no invitation of an owner who is losing the role', async () => {
    const made = raceAgainst(
      (tx) => members.changeMember(tx, second.userId, 'member'),
      () => members.inviteMember(ctx, second, { email: 'friend@spec.example', role: 'owner' }),
    );
    await expect(made).rejects.toMatchObject({ code: 'not_found' });
    expect((await members.listMembers(ctx)).items.map(({ status }) => status)).toEqual(['active', 'active']);
  });

  it('do not invite somebody who is accepting an invitation', async () => {
    const email = `new@${ctx.orgId}.example`;
    const { token } = await members.inviteMember(ctx, owner, { email, role: 'member' });
    const accept = () =>
      members.acceptInvitation(system, VISITOR, { token, name: 'New', password: 'a long password' });
    const made = raceAgainst(
      (tx) =>
        test.database.query(tx, 'SELECT FROM identity.organisations WHERE id = $1 FOR UPDATE', [tx.orgId]),
      async () => {
        const accepted = accept();
        await waitFor(
          'the acceptance to have used the invitation',
          async () => (await countWaiting(test.database)) === 1,
        );
        const invited = members.inviteMember(ctx, owner, { email, role: 'viewer' });
        await accepted.finally(() => invited.catch(() => undefined));
        return invited;
      },
      2,
    );
    await expect(made).rejects.toMatchObject({ code: 'invalid_request', details: [{ path: 'email' }] });
    const { items } = await members.listMembers(ctx);
    expect(items.filter((each) => each.email === email)).toMatchObject([
      { status: 'active', role: 'member' },
    ]);
  });
});

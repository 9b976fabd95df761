import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import type { Command } from './commands.js';

const ctx = systemCtx('admin');

/** Commands that list the ids which the other commands need. */
export const LIST_COMMANDS: Readonly<Record<string, Command>> = {
  'org:list': {
    description: 'Lists the organisations, the oldest first.',
    usage: 'org:list',
    options: {},
    run: async (database) => {
      const found = await new IdentityStore(database).listOrganisations(ctx);
      return { items: found.map(({ id, name, createdAt }) => ({ org_id: id, name, created_at: createdAt })) };
    },
  },
  'user:list': {
    description: 'Lists the users of an organisation, the oldest first.',
    usage: 'user:list --org O',
    options: { org: 'required' },
    run: async (database, { org }) => {
      const found = await new IdentityStore(database).listUsers(ctx, String(org));
      return {
        items: found.map(({ id, email, createdAt }) => ({ user_id: id, email, created_at: createdAt })),
      };
    },
  },
  'key:list': {
    description: 'Lists the API keys of an organisation with their last characters, the oldest first.',
    usage: 'key:list --org O',
    options: { org: 'required' },
    run: async (database, { org }) => {
      const found = await new IdentityStore(database).listKeys(ctx, String(org));
      return {
        items: found.map((key) => ({
          key_id: key.id,
          user_id: key.userId,
          mode: key.mode,
          last_four: key.lastFour,
          created_at: key.createdAt,
          last_used_at: key.lastUsedAt,
          revoked_at: key.revokedAt,
        })),
      };
    },
  },
};

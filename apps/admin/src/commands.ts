import { randomBytes } from 'node:crypto';
import { createOrganisation, grantCredits, tablesPart } from '@quarry/composition';
import { EXCLUSION_KINDS, TABLES_RPC, type ExclusionItem, type ExclusionKind } from '@quarry/dto';
import { IdentityStore } from '@quarry/edge';
import { LocalRpcTransport, systemCtx, type Database } from '@quarry/platform';
import { TABLE_FILE_COMMANDS } from './table-file.commands.js';

/** The command was called wrongly; the message says how it is called. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Options as `--name value`; a switch is `true`, an option that may come often a list. */
export type Options = Readonly<Record<string, string | boolean | string[] | undefined>>;

export interface Command {
  usage: string;
  /** Names of its options, and which of them must be given. */
  options: Readonly<Record<string, 'required' | 'optional' | 'switch' | 'list'>>;
  /** @returns the JSON object to print */
  run(database: Database, options: Options): Promise<Record<string, unknown>>;
}

const ctx = systemCtx('admin');

/** Every admin command. Source: contract decisions, section 7. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...TABLE_FILE_COMMANDS,
  'org:create': {
    usage: 'org:create --name N --credits C',
    options: { name: 'required', credits: 'required' },
    run: async (database, options) => {
      const credits = amountOf('credits', text(options.credits), 0);
      const made = await createOrganisation(database, { name: text(options.name), credits });
      return {
        org_id: made.orgId,
        user_id: made.userId,
        email: made.email,
        password: made.password,
        api_key: made.apiKey,
        test_key: made.testKey,
      };
    },
  },
  'user:create': {
    usage: 'user:create --org O --email E',
    options: { org: 'required', email: 'required' },
    run: async (database, options) => {
      const made = await new IdentityStore(database).createUser(ctx, {
        orgId: text(options.org),
        email: emailOf(text(options.email)),
      });
      return { user_id: made.userId, email: made.email, password: made.password };
    },
  },
  'key:create': {
    usage: 'key:create --org O [--user U] [--test]',
    options: { org: 'required', user: 'optional', test: 'switch' },
    run: async (database, options) => {
      const user = options.user === undefined ? {} : { userId: text(options.user) };
      const made = await new IdentityStore(database).createKey(ctx, {
        orgId: text(options.org),
        ...user,
        mode: options.test ? 'test' : 'live',
      });
      return { key_id: made.keyId, api_key: made.apiKey, user_id: made.userId };
    },
  },
  'key:revoke': {
    usage: 'key:revoke --key <id or key>',
    options: { key: 'required' },
    run: async (database, options) => {
      const { keyId, revokedAt } = await new IdentityStore(database).revokeKey(ctx, text(options.key));
      return { key_id: keyId, revoked_at: revokedAt };
    },
  },
  'credits:grant': {
    usage: 'credits:grant --org O --amount A',
    options: { org: 'required', amount: 'required' },
    run: async (database, options) => {
      const orgId = text(options.org);
      const amount = amountOf('amount', text(options.amount), 0.001);
      await new IdentityStore(database).requireOrganisation(ctx, orgId);
      return { org_id: orgId, balance: await grantCredits(database, { orgId, amount }) };
    },
  },
  'exclusions:add': {
    usage: 'exclusions:add --org O --kind companies|people [--domain D]… [--linkedin-url U]…',
    options: { org: 'required', kind: 'required', domain: 'list', 'linkedin-url': 'list' },
    run: async (database, options) => {
      const orgId = text(options.org);
      const kind = kindOf(text(options.kind));
      const items: ExclusionItem[] = [
        ...list(options.domain).map((domain) => ({ domain })),
        ...list(options['linkedin-url']).map((linkedin_url) => ({ linkedin_url })),
      ];
      if (items.length === 0) throw new UsageError('--domain or --linkedin-url must be given.');
      await new IdentityStore(database).requireOrganisation(ctx, orgId);
      return addExclusions(database, orgId, kind, items);
    },
  },
};

/** @returns the API's own answer: `created`, `updated`, `unchanged` and `rejected` */
async function addExclusions(
  database: Database,
  orgId: string,
  kind: ExclusionKind,
  items: ExclusionItem[],
): Promise<Record<string, unknown>> {
  // Nothing here makes a link or a cursor, so neither needs the product's own.
  const tables = tablesPart({ database, appUrl: '', cursorSecret: randomBytes(32).toString('hex') });
  const rpc = new LocalRpcTransport([tables.handlers]);
  const json = await rpc.call(systemCtx('admin', orgId), TABLES_RPC.addExclusions, { kind, items });
  return JSON.parse(json) as Record<string, unknown>;
}

function kindOf(value: string): ExclusionKind {
  const kind = EXCLUSION_KINDS.find((known) => known === value);
  if (!kind) throw new UsageError(`--kind is one of ${EXCLUSION_KINDS.join(', ')}: ${value}`);
  return kind;
}

function list(value: Options[string]): string[] {
  return Array.isArray(value) ? value : [];
}

function text(value: Options[string]): string {
  return typeof value === 'string' ? value : '';
}

function emailOf(value: string): string {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) throw new UsageError(`--email is not an address: ${value}`);
  return value;
}

function amountOf(name: string, value: string, least: number): number {
  if (!/^\d{1,12}(\.\d{1,3})?$/.test(value) || Number(value) < least) {
    throw new UsageError(
      `--${name} is a number of credits with at most 3 decimal places, at least ${least}: ${value}`,
    );
  }
  return Number(value);
}

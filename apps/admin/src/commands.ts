import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createOrganisation, RunReaderModule } from '@quarry/composition';
import { grantCredits } from '@quarry/credit-ledger';
import {
  parseResource,
  EXCLUSION_KINDS,
  TABLES_RPC,
  USER_ROLES,
  type ExclusionItem,
  type ExclusionKind,
  type UserRole,
} from '@quarry/dto';
import { createLoginLink, IdentityStore } from '@quarry/identity';
import { readCredentials } from '@quarry/installation';
import { systemCtx, type Ctx } from '@quarry/app';
import { openLocalCalls } from '@quarry/platform';
import type { Database } from '@quarry/postgres';
import { TablesModule } from '@quarry/tables';
import { AUDIT_COMMANDS } from './audit.commands.js';
import { BACKUP_COMMANDS } from './backup.commands.js';
import { DIRECTORY_COMMANDS } from './directory.commands.js';
import { ERASE_COMMAND } from './erase.command.js';
import { LIST_COMMANDS } from './list.commands.js';
import { LIMIT_COMMANDS } from './limit.commands.js';
import { modeOf } from './mode-option.js';
import { SECRET_COMMANDS } from './secret.commands.js';
import { TABLE_FILE_COMMANDS } from './table-file.commands.js';

/** The command was called with wrong arguments; the message shows the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Options as `--name value`; a switch is `true`, a repeatable option is a list. */
export type Options = Readonly<Record<string, string | boolean | string[] | undefined>>;

export interface Command {
  /** Description of the command, in a sentence. */
  description: string;
  usage: string;
  /** Options by name, and whether they are required. */
  options: Readonly<Record<string, 'required' | 'optional' | 'switch' | 'list'>>;
  /**
   * Runs before the schema is migrated.
   * @param url address of the database for its owner
   * @param dataDir data folder of the installation, which may be empty
   */
  prepare?(url: string, options: Options, dataDir: string): Promise<Record<string, unknown>>;
  /** @param prepared result of `prepare`. @returns the JSON object to print */
  run(
    database: Database,
    options: Options,
    prepared: Record<string, unknown>,
  ): Promise<Record<string, unknown>>;
}

const ctx = systemCtx('admin');
/** Address where `npm start` serves the web application by default, for a data folder that it has not used yet. */
const APP_URL = 'http://127.0.0.1:3000/app';

/** Every admin command. Source: docs/contract.md#7-operating-it. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...TABLE_FILE_COMMANDS,
  ...DIRECTORY_COMMANDS,
  ...SECRET_COMMANDS,
  'org:create': {
    description:
      'Creates an organisation with its first user, a live key and a test key. Shows the password and the keys only once.',
    usage: 'org:create --name N --credits C',
    options: { name: 'required', credits: 'required' },
    run: async (database, options) => {
      const credits = amountOf('credits', requireText(options.credits), 0);
      const made = await createOrganisation(database, { name: requireText(options.name), credits });
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
    description: 'Creates a user of an organisation. Shows the password only once.',
    usage: 'user:create --org O --email E [--role owner|member|viewer]',
    options: { org: 'required', email: 'required', role: 'optional' },
    run: async (database, options) => {
      const made = await new IdentityStore(database).createUser(ctx, {
        orgId: requireText(options.org),
        email: emailOf(requireText(options.email)),
        role: roleOf(options.role),
      });
      return { user_id: made.userId, email: made.email, password: made.password };
    },
  },
  'user:login-link': {
    description: 'Creates a link that signs a user in to the web application, once and within ten minutes.',
    usage: `user:login-link --email E [--app-url U, such as https://quarry.example/app; by default that of the last npm start]`,
    options: { email: 'required', 'app-url': 'optional' },
    prepare: async (_url, options, dataDir) => ({
      appUrl: options['app-url'] ?? readCredentials(dataDir)?.app_url ?? APP_URL,
    }),
    run: async (database, options, prepared) => {
      const appUrl = String(prepared.appUrl).replace(/\/+$/, '');
      const { link, expiresAt } = await createLoginLink(database, appUrl, requireText(options.email));
      return { login_link: link, expires_at: expiresAt };
    },
  },
  'key:create': {
    description: 'Creates an API key. Shows it only once.',
    usage: 'key:create --org O [--user U] [--test]',
    options: { org: 'required', user: 'optional', test: 'switch' },
    run: async (database, options) => {
      const user = options.user === undefined ? {} : { userId: requireText(options.user) };
      const made = await new IdentityStore(database).createKey(ctx, {
        orgId: requireText(options.org),
        ...user,
        mode: options.test ? 'test' : 'live',
      });
      return { key_id: made.keyId, api_key: made.apiKey, user_id: made.userId };
    },
  },
  'key:revoke': {
    description: 'Revokes an API key, which is refused everywhere within 5 seconds.',
    usage: 'key:revoke --key <id or key, or - to read it from standard input>',
    options: { key: 'required' },
    run: async (database, options) => {
      // Other accounts of the machine can read the arguments of a process.
      const key = options.key === '-' ? readFileSync(0, 'utf8').trim() : requireText(options.key);
      const { keyId, revokedAt } = await new IdentityStore(database).revokeKey(ctx, key);
      return { key_id: keyId, revoked_at: revokedAt };
    },
  },
  'credits:grant': {
    description: 'Adds credits to the live or the test balance of an organisation.',
    usage: 'credits:grant --org O --amount A [--mode live|test] [--id I, to grant it only once]',
    options: { org: 'required', amount: 'required', mode: 'optional', id: 'optional' },
    run: async (database, options) => {
      const orgId = requireText(options.org);
      const amount = amountOf('amount', requireText(options.amount), 0.001);
      await new IdentityStore(database).requireOrganisation(ctx, orgId);
      const grant = options.id === undefined ? {} : { grantId: grantIdOf(requireText(options.id)) };
      const { isNew, balance } = await grantCredits(database, {
        orgId,
        amount,
        mode: modeOf(options.mode),
        ...grant,
      });
      if (!isNew) process.stderr.write('A grant with this id was already made: nothing is added.\n');
      return { org_id: orgId, balance };
    },
  },
  ...LIST_COMMANDS,
  ...LIMIT_COMMANDS,
  ...AUDIT_COMMANDS,
  ...ERASE_COMMAND,
  ...BACKUP_COMMANDS,
  'exclusions:add': {
    description: 'Adds companies or people that are never sourced.',
    usage:
      'exclusions:add --org O --kind companies|people [--domain D]… [--linkedin-url U]… [--mode live|test]',
    options: { org: 'required', kind: 'required', domain: 'list', 'linkedin-url': 'list', mode: 'optional' },
    run: async (database, options) => {
      const orgId = requireText(options.org);
      const kind = kindOf(requireText(options.kind));
      const items: ExclusionItem[] = [
        ...splitList(options.domain).map((domain) => ({ domain })),
        ...splitList(options['linkedin-url']).map((linkedin_url) => ({ linkedin_url })),
      ];
      if (items.length === 0) throw new UsageError('--domain or --linkedin-url is required.');
      await new IdentityStore(database).requireOrganisation(ctx, orgId);
      return addExclusions(
        database,
        { ...systemCtx('admin', orgId), mode: modeOf(options.mode) },
        kind,
        items,
      );
    },
  },
};

/** @returns the answer of the API: `created`, `updated`, `unchanged` and `rejected` */
async function addExclusions(
  database: Database,
  owner: Ctx,
  kind: ExclusionKind,
  items: ExclusionItem[],
): Promise<Record<string, unknown>> {
  // No link or cursor is created here, so neither needs the product's secrets.
  const { rpc } = await openLocalCalls({
    database,
    cursorSecret: randomBytes(32).toString('hex'),
    modules: [RunReaderModule, TablesModule.forRoot({ appUrl: '' })],
    apis: [TABLES_RPC],
  });
  const json = await rpc.call(owner, TABLES_RPC.addExclusions, { kind, items });
  return parseResource(json);
}

function kindOf(value: string): ExclusionKind {
  const kind = EXCLUSION_KINDS.find((known) => known === value);
  if (!kind) throw new UsageError(`--kind must be one of ${EXCLUSION_KINDS.join(', ')}, not ${value}`);
  return kind;
}

function roleOf(value: Options[string]): UserRole {
  const role = USER_ROLES.find((known) => known === (value ?? 'member'));
  if (!role) throw new UsageError(`--role must be one of ${USER_ROLES.join(', ')}, not ${String(value)}`);
  return role;
}

function splitList(value: Options[string]): string[] {
  return Array.isArray(value) ? value : [];
}

function requireText(value: Options[string]): string {
  return typeof value === 'string' ? value : '';
}

function emailOf(value: string): string {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value))
    throw new UsageError(`--email must be an e-mail address, not ${value}`);
  return value;
}

function grantIdOf(value: string): string {
  if (!/^[\x21-\x7e]{1,100}$/.test(value))
    throw new UsageError(`--id must have 1 to 100 visible ASCII characters: ${value.slice(0, 100)}`);
  return value;
}

function amountOf(name: string, value: string, least: number): number {
  if (!/^\d{1,12}(\.\d{1,3})?$/.test(value) || Number(value) < least) {
    throw new UsageError(
      `--${name} must be a number of credits with at most 3 decimal places, at least ${least}, not ${value}`,
    );
  }
  return Number(value);
}

import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import { AuditLog, type AuditHead, type Database } from '@quarry/postgres';
import type { Command, Options } from './commands.js';

const LIMIT_DEFAULT = 100;

/** Commands that read the audit log of an organisation, and verify that it was not changed. */
export const AUDIT_COMMANDS: Readonly<Record<string, Command>> = {
  'audit:list': {
    description: 'Shows the audit log of an organisation, the newest events first.',
    usage: 'audit:list --org O [--limit N]',
    options: { org: 'required', limit: 'optional' },
    run: async (database, options) => {
      const orgId = await organisationOf(database, options);
      const events = await new AuditLog(database).listEntries(
        systemCtx('admin', orgId),
        limitOf(options.limit),
      );
      return { items: events.map(({ requestId, ...event }) => ({ ...event, request_id: requestId })) };
    },
  },
  'audit:verify': {
    description: 'Verifies that the audit log was not changed.',
    usage: 'audit:verify --org O [--head NUMBER:HASH, as an earlier call printed it]',
    options: { org: 'required', head: 'optional' },
    run: async (database, options) => {
      const orgId = await organisationOf(database, options);
      const verdict = await new AuditLog(database).verifyChain(
        systemCtx('admin', orgId),
        headOf(options.head),
      );
      if (verdict.kind === 'broken')
        throw new Error(
          `The audit log of ${orgId} was changed: event ${verdict.number} is not the event that was written.`,
        );
      const { head } = verdict;
      return { org_id: orgId, intact: true, head: head && `${head.number}:${head.hash}` };
    },
  },
};

/** @throws Error for an organisation that does not exist, about which nothing is proved */
async function organisationOf(database: Database, { org }: Options): Promise<string> {
  const orgId = String(org);
  await new IdentityStore(database).requireOrganisation(systemCtx('admin'), orgId);
  return orgId;
}

function limitOf(value: Options[string]): number {
  if (value === undefined) return LIMIT_DEFAULT;
  if (typeof value === 'string' && /^[1-9]\d{0,4}$/.test(value)) return Number(value);
  throw new Error(`--limit must be a number from 1 to 99999, not ${String(value)}`);
}

function headOf(value: Options[string]): AuditHead | null {
  if (value === undefined) return null;
  const match = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(String(value));
  if (!match) throw new Error('--head must be a number, a colon and 64 hexadecimal digits.');
  return { number: Number(match[1]), hash: match[2]! };
}

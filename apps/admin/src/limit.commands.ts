import { readSpendLimits, setSpendLimits, type SpendLimitHolder } from '@quarry/credit-ledger';
import { IdentityStore } from '@quarry/identity';
import { systemCtx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import type { Command, Options } from './commands.js';
import { modeOf } from './mode-option.js';

/** Commands for the spending limits of an organisation or of one of its keys, by day or month. */
export const LIMIT_COMMANDS: Readonly<Record<string, Command>> = {
  'limits:set': {
    description: 'Sets the spend caps of an organisation, or of one of its keys, per day or month.',
    usage: 'limits:set --org O [--key K] [--mode live|test] [--day A|none] [--month A|none]',
    options: { org: 'required', key: 'optional', mode: 'optional', day: 'optional', month: 'optional' },
    run: async (database, options) => {
      if (options.day === undefined && options.month === undefined)
        throw new Error('--day or --month is required.');
      const caps = {
        ...(options.day === undefined ? {} : { day: capOf('day', options.day) }),
        ...(options.month === undefined ? {} : { month: capOf('month', options.month) }),
      };
      const holder = await holderOf(database, options);
      await setSpendLimits(database, holder, caps);
      return describeLimits(database, holder);
    },
  },
  'limits:show': {
    description: 'Shows the spend caps and their use.',
    usage: 'limits:show --org O [--key K] [--mode live|test]',
    options: { org: 'required', key: 'optional', mode: 'optional' },
    run: async (database, options) => describeLimits(database, await holderOf(database, options)),
  },
};

/** Finds the holder of a limit. A key determines its mode; for the organisation the mode defaults to live. */
async function holderOf(database: Database, options: Options): Promise<SpendLimitHolder> {
  const identity = new IdentityStore(database);
  const ctx = systemCtx('admin');
  const orgId = String(options.org);
  if (options.key === undefined) {
    await identity.requireOrganisation(ctx, orgId);
    return { orgId, keyId: null, mode: modeOf(options.mode) };
  }
  const keyId = String(options.key);
  const mode = await identity.modeOfKey(ctx, orgId, keyId);
  if (options.mode !== undefined && modeOf(options.mode) !== mode)
    throw new Error(`${keyId} is a ${mode} key.`);
  return { orgId, keyId, mode };
}

async function describeLimits(
  database: Database,
  holder: SpendLimitHolder,
): Promise<Record<string, unknown>> {
  const { orgId, keyId, mode } = holder;
  return { org_id: orgId, key_id: keyId, mode, ...(await readSpendLimits(database, holder)) };
}

/** @returns credits; null for none */
function capOf(name: string, value: Options[string]): number | null {
  if (value === 'none') return null;
  if (typeof value === 'string' && /^\d{1,12}(\.\d{1,3})?$/.test(value)) return Number(value);
  throw new Error(
    `--${name} must be a number of credits with at most 3 decimal places, or none, not ${String(value)}`,
  );
}

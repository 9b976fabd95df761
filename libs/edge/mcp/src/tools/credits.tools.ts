import { SERVICES_RPC } from '@quarry/dto';
import { z } from 'zod';
import { pageThatFits } from '../page-that-fits.js';
import { defineTool, EFFECTS, FREE } from '../tool.js';
import { args, cursor, limit } from './arguments.js';

export const serviceCreditsGet = defineTool({
  ...FREE,
  name: 'service_credits_get',
  title: 'Read the balance',
  description:
    'Reads what can be spent, what is reserved and the balance; with ledger also the ledger entries, newest first: of a batch, of a run, or all. Charges are negative.',
  input: args({
    ledger: z.boolean().default(false),
    batch_id: z.string().min(1).optional(),
    run_id: z.string().min(1).optional(),
    limit: limit(100, 50),
    cursor,
  }),
  effects: EFFECTS.reads,
  style: 'services',
  holdsForeignText: false,
  async run(
    { ledger, batch_id: batchId = null, run_id: runId = null, limit: most, cursor: from = null },
    call,
  ) {
    const { remaining, reserved, balance } = await call.readRpc(SERVICES_RPC.getCredits, {});
    const credits = { remaining, reserved, balance };
    if (!ledger && batchId === null && runId === null && from === null) return credits;
    const { items, next_cursor } = await pageThatFits(
      most,
      (wanted) =>
        call.readRpc(SERVICES_RPC.listLedger, { limit: wanted, cursor: from, service: null, batchId, runId }),
      (entry) => entry,
    );
    return { ...credits, entries: items, next_cursor };
  },
});

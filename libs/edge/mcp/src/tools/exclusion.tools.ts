import { EXCLUSION_KINDS, parseResource, TABLES_RPC } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { formatCount } from '@quarry/service-catalog';
import { z } from 'zod';
import { countFitting } from '../answer-size.js';
import { defineTool, EFFECTS, FREE } from '../tool.js';
import { args, cursor, limit } from './arguments.js';

const ENTRIES_MAX = 500;

const kind = z.enum(EXCLUSION_KINDS);
const entries = z
  .array(
    args({
      domain: z.string().min(1).max(2000).optional(),
      linkedin_url: z.string().min(1).max(2000).optional(),
    }),
  )
  .min(1)
  .max(ENTRIES_MAX)
  .optional();

interface Entry {
  domain?: string | undefined;
  linkedin_url?: string | undefined;
}

export const tableExclusionsGet = defineTool({
  ...FREE,
  name: 'table_exclusions_get',
  title: 'Read exclusions',
  description: 'Lists the companies or people that must never be sourced; runs and searches leave them out.',
  input: args({ kind, limit: limit(500, 100), cursor }),
  effects: EFFECTS.reads,
  holdsForeignText: false,
  async run({ kind: of, limit: most, cursor: from }, call) {
    const offset = call.cursors.positionOf(call.ctx, 'table_exclusions_get', of, from);
    const page = await call.readRpc(TABLES_RPC.listExclusions, { kind: of, limit: most, offset });
    const found = page.items as unknown[];
    const items = found.slice(0, countFitting(found, {}));
    const isLast = items.length === found.length && page.next_offset === null;
    const end = offset + items.length;
    return {
      items,
      next_cursor: isLast ? null : call.cursors.cursorAt(call.ctx, 'table_exclusions_get', of, end),
      truncated: items.length < found.length,
    };
  },
});

export const tableExclusionsUpdate = defineTool({
  ...FREE,
  name: 'table_exclusions_update',
  title: 'Change exclusions',
  description:
    'Adds companies or people that must never be sourced, or removes entries: ask the user before you remove. Each entry has a domain, a LinkedIn address, or both. Repeating the call changes nothing. dry_run shows what would change. Returns created, deleted, unchanged and rejected (index in add, message).',
  input: args({
    kind,
    add: entries,
    remove: entries,
    dry_run: z.boolean().default(false).describe('Only show what would change.'),
  }),
  effects: EFFECTS.ends,
  holdsForeignText: false,
  spend: async ({ kind: of, remove, dry_run: dryRun }) => {
    if (!remove || dryRun) return null;
    const what = `remove ${formatCount(remove.length, 'entry', 'entries')} from the list of excluded ${of}`;
    return { question: `May I ${what}?`, what, worstCase: 0, estimate: {} };
  },
  async run({ kind: of, add, remove, dry_run: dryRun }, call) {
    if (!add && !remove) throw new AppError('invalid_request', 'Give entries to add or to remove.');
    const request = (items: Entry[]) => ({ kind: of, items: items.map(givenFields), dryRun });
    const added = add && parseResource(await call.callRpc(TABLES_RPC.addExclusions, request(add)));
    const removed = remove && parseResource(await call.callRpc(TABLES_RPC.deleteExclusions, request(remove)));
    return {
      // An updated entry got its second field, by which it was not excluded before, so it counts as created.
      created: (added?.created ?? 0) + (added?.updated ?? 0),
      deleted: removed?.deleted ?? 0,
      unchanged: (added?.unchanged ?? 0) + (removed?.not_found ?? 0),
      rejected: added?.rejected ?? [],
    };
  },
});

/** Omits fields that were not given. */
function givenFields(entry: Entry) {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

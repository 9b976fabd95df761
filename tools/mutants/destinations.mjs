// Destinations: which rows leave, by whom at a time, and how often.
import { mutant } from './mutant.mjs';

const LEASES = 'libs/domains/webhooks/src/destinations/destination-lease.store.ts';
const TURNS = 'libs/kernel/durable-work/src/turn-sql.ts';
const JUDGE = 'libs/domains/webhooks/src/destinations/push-judge.ts';
const STORE = 'libs/domains/webhooks/src/destinations/destination.store.ts';
const ERASURE = 'libs/domains/webhooks/src/destinations/erase-from-destinations.ts';
const SPEC = 'libs/domains/webhooks/src/destinations/destinations.db.spec.ts';

export const DESTINATION_MUTANTS = [
  mutant('destinations: one sender at a time', SPEC, 'is had by one process at a time', [
    TURNS,
    'AND ${isOpen} AND ${isFree} RETURNING',
    'AND ${isOpen} RETURNING',
  ]),
  mutant('destinations: the token of a settlement', SPEC, 'that is lost between sending and settling', [
    LEASES,
    'WHERE ${IS_IT} AND d.lease_token = $4 RETURNING 1)',
    'WHERE ${IS_IT} AND $4::text IS NOT NULL RETURNING 1)',
  ]),
  mutant('destinations: nobody who is excluded', SPEC, 'judges rows by the lists', [
    JUDGE,
    "if (excluded.has(row.id)) return 'excluded';",
    '',
  ]),
  mutant('destinations: nobody who is fictional', SPEC, 'leaves out rows that are excluded, fictional', [
    JUDGE,
    "if (ctx.mode === 'live' && row.isFromSandbox) return 'sandbox';",
    '',
  ]),
  mutant('destinations: what was sent before', SPEC, 'sends what is new or changed', [
    JUDGE,
    "return sent.hash === hash ? 'unchanged' : 'changed';",
    "return 'changed';",
  ]),
  mutant('destinations: an erasure of one person', SPEC, 'of a person goes with the person', [
    ERASURE,
    '.filter((key) => person.isIn(key))',
    '',
  ]),
  mutant('destinations: twenty of them', SPEC, 'are 20 in a mode at most', [
    STORE,
    'await this.database.query(tx, LOCK_TENANT, [tenantOf(tx)]);',
    '',
  ]),
];

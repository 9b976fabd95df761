// Leases of runs, the journal of their steps, and their artifacts.
import { mutant } from './mutant.mjs';

const LEASES = 'libs/domains/runs/src/execution/run-lease.store.ts';
const JOURNAL = 'libs/domains/runs/src/agent/step-journal.ts';
const STEPS = 'libs/kernel/durable-work/src/step-journal.ts';
const GUARD = 'libs/kernel/durable-work/src/lease-guard.ts';
const ENRICHER = 'libs/domains/runs/src/agent/column-enricher.ts';
const AGENT = 'libs/domains/runs/src/agent/run-agent.ts';
const AGENT_SPEC = 'libs/domains/runs/src/agent/run-agent.spec.ts';
const SPEC = 'libs/domains/runs/src/execution/run-lease.db.spec.ts';

const HAND_BACK =
  "delivered_at = CASE WHEN $3::boolean THEN '-infinity' ELSE clock_timestamp() END\n  WHERE id = $1";

export const RUN_MUTANTS = [
  mutant('run claim: only what waits for an agent', SPEC, 'one of many agents', [
    LEASES,
    "WHERE id = $1 AND queue = $4 AND (status IN ('queued', 'recovering') OR (status = 'running' AND lease_token IS NULL))",
    'WHERE id = $1 AND queue = $4',
  ]),
  mutant('run renew: the lease token', SPEC, 'lets a superseded agent', [
    LEASES,
    "/ 1000.0)\n  WHERE id = $1 AND lease_token = $2 AND status = 'running' RETURNING 1`",
    "/ 1000.0)\n  WHERE id = $1 AND $2::text IS NOT NULL AND status = 'running' RETURNING 1`",
  ]),
  mutant('run release: the lease token', SPEC, 'neither hands back nor shows', [
    LEASES,
    `${HAND_BACK} AND lease_token = $2`,
    `${HAND_BACK} AND $2::text IS NOT NULL`,
  ]),
  mutant('run release: no loss', SPEC, 'handed back at a shutdown', [
    LEASES,
    HAND_BACK,
    HAND_BACK.replace('delivered_at', 'losses = losses + 1, delivered_at'),
  ]),
  mutant('run signals: the lease token', SPEC, 'neither hands back nor shows', [
    LEASES,
    "workspace_id FROM runs.runs WHERE id = $1 AND lease_token = $2 AND status = 'running'",
    "workspace_id FROM runs.runs WHERE id = $1 AND $2::text IS NOT NULL AND status = 'running'",
  ]),
  mutant('run artifact: the lease token', SPEC, 'neither hands back nor shows', [
    LEASES,
    "lease_token = $2 AND status = 'running' AND NOT artifacts",
    "$2::text IS NOT NULL AND status = 'running' AND NOT artifacts",
  ]),
  mutant('run artifact: one for each table, and created stays', SPEC, 'the artifacts of a run', [
    LEASES,
    "AND NOT artifacts @> jsonb_build_array(jsonb_build_object('id', $4::text))",
    'AND $4::text IS NOT NULL',
  ]),
  mutant('run end: the lease token', SPEC, 'lets a superseded agent', [
    LEASES,
    "lease_token = NULL, lease_until = NULL\n  WHERE id = $1 AND lease_token = $2 AND status = 'running'",
    "lease_token = NULL, lease_until = NULL\n  WHERE id = $1 AND $2::text IS NOT NULL AND status = 'running'",
  ]),
  mutant('run reaper: only a lease that has run out', SPEC, 'is not reaped', [
    LEASES,
    "status = 'running' AND lease_until < clock_timestamp()\n",
    "status = 'running'\n",
  ]),
  mutant('run reaper: the third loss', SPEC, 'at the third loss', [
    LEASES,
    "'recovering' WHEN losses + 1 >= $1 THEN 'failed'",
    "'recovering' WHEN losses + 1 >= 1000 * $1 THEN 'failed'",
  ]),
  mutant('run leases end at once for a process alone', SPEC, 'no other lives', [
    LEASES,
    `"UPDATE runs.runs SET lease_until = clock_timestamp() WHERE status = 'running' AND lease_token IS NOT NULL"`,
    `'SELECT 1'`,
  ]),
  mutant('journal begin: the lease token', SPEC, 'begins nothing', [
    JOURNAL,
    'WHERE r.id = $1 AND r.lease_token = $2',
    'WHERE r.id = $1 AND $2::text IS NOT NULL',
  ]),
  mutant('journal finish: the lease token', SPEC, 'finishes nothing', [
    JOURNAL,
    'r.id = s.run_id AND r.lease_token = $2',
    'r.id = s.run_id AND $2::text IS NOT NULL',
  ]),
  mutant('journal: a finished step is not run again', SPEC, 'runs a finished step once', [
    STEPS,
    'if (known?.finished) return known.result as Result;',
    '',
  ]),
  mutant('journal: a begun step keeps its first input', SPEC, 'runs a finished step once', [
    STEPS,
    'known ? (known.input as Input) :',
    'known ? await prepare() :',
  ]),
  mutant('agent: a planner is held to its limits', AGENT_SPEC, 'a planner that does not plan', [
    'libs/domains/runs/src/agent/prompt-plans.ts',
    'return withDeadline(work, { ms: deadlineMs - Date.now(), late, signal });',
    'return (void withDeadline, void late, void signal, void deadlineMs, work);',
  ]),
  mutant('agent: an unconfirmed lease ends its work', AGENT_SPEC, 'stops by itself', [
    GUARD,
    'if (performance.now() > this.leaseValidUntil) throw',
    'if (this.leaseValidUntil < 0) throw',
  ]),
  mutant('agent: a checkpoint looks for a cancellation', AGENT_SPEC, 'is cancelled after', [
    GUARD,
    'if (signals.isCancelled)',
    'if (signals.isCancelled && false)',
  ]),
  mutant('agent: storage that is away ends no run', AGENT_SPEC, 'leaves the end to the lease', [
    AGENT,
    'if (isDatabaseUnavailable(error)) throw error;',
    '',
  ]),
  mutant('agent: the end of the balance is the end of the column', AGENT_SPEC, 'where the balance does', [
    ENRICHER,
    'isSpent: true };',
    'isSpent: false };',
  ]),
];

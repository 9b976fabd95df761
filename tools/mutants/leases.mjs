// Guards of the leases of lines, runs, requests and mailboxes, and of the journals written under them.
import { guards, TOKEN } from './guards.mjs';

const POSTGRES = 'libs/kernel/postgres';
const RUNS = 'libs/domains/runs';
const RESEARCH = 'libs/domains/research';
const LINES_SPEC = 'libs/domains/service-jobs/src/service-jobs.db.spec.ts';
const RUN_LEASE_SPEC = 'libs/domains/runs/src/execution/run-lease.db.spec.ts';

export const LEASES_MUTANTS = [
  ...guards(POSTGRES, 'functions/jobs/claim_jobs.sql', LINES_SPEC, [
    ['claim_jobs', 'a claim', 'AND (j.lease_until IS NULL OR j.lease_until < clock_timestamp())'],
    [
      'claim_jobs',
      'a claim',
      `j.attempt - j.handed_back - (j.is_begun AND j.lease_token IS NULL)::integer >= p_attempts_max
        OR`,
    ],
  ]),
  ...guards('libs/domains/service-jobs', 'job-lease.store.ts', 'service-jobs.db.spec.ts', [
    [
      'RELEASE',
      'handed back together',
      '= own.token',
      `IN (
           SELECT c.token FROM jsonb_to_recordset($1::jsonb) AS c (id text, token text) WHERE c.id = own.id)`,
    ],
    ['START', 'a claim', 'j.lease_token = c.token AND'],
    ['JobLeaseStore.writeStarts', 'a claim', 'started.has(job.token)', '[...started].length > 0'],
    ['OWN_ROWS', 'can neither start, renew nor settle', 'j.lease_token = c.token AND'],
    ['JobLeaseStore.writeEnds', 'a claim', 'onePerJob(rest);', 'rest; void onePerJob;'],
  ]),
  ...guards(POSTGRES, 'functions/jobs/settle_jobs.sql', LINES_SPEC, [
    [
      'settle_jobs',
      'a claim',
      "'token' = v_tokens[array_position(v_owned, e.value ->> 'id')]",
      "'id' = ANY (v_owned)",
    ],
  ]),
  ...guards(POSTGRES, 'requests/idempotent-requests.ts', 'requests/idempotent-requests.db.spec.ts', [
    ['KEEP', 'whose lease has run out', 'token = $4 AND answer IS', '$4::text IS NOT'],
    ['RENEW', 'of who has its key now', '${OWN}', "${ofTenant()} AND route = $2 AND key = $3 AND $4 <> ''"],
  ]),
  ...guards('libs/domains/privacy', 'person-erasure.ts', 'person-erasure.db.spec.ts', [
    ['CLAIM_FOLLOWED', 'by one process alone', 'AND ${IS_DUE}'],
  ]),
  ...guards(RUNS, 'execution/run-lease.store.ts', 'execution/run-lease.db.spec.ts', [
    [
      'CLAIM',
      'one of many agents',
      "$4 AND (status IN ('queued', 'recovering') OR (status = 'running' AND lease_token IS NULL))",
      '$4',
    ],
    ['RENEW', 'lets a superseded agent', TOKEN],
    ['RELEASE', 'neither hands back nor shows', TOKEN],
    ['SIGNALS', 'neither hands back nor shows', TOKEN],
    ['ADD_ARTIFACT', 'neither hands back nor shows', TOKEN],
    ['END', 'lets a superseded agent', TOKEN],
    ['REAP_LOST', 'is not reaped', "'running' AND lease_until < clock_timestamp()", "'running'"],
    [
      'EXPIRE_ALL',
      'no other lives',
      `"UPDATE runs.runs SET lease_until = clock_timestamp() WHERE status = 'running' AND lease_token IS NOT NULL"`,
      "'SELECT 1'",
    ],
  ]),
  ...guards(RUNS, 'execution/step-journal.ts', 'execution/run-lease.db.spec.ts', [
    ['BEGIN', 'begins nothing', TOKEN],
    ['FINISH', 'finishes nothing', TOKEN],
  ]),
  ...guards('libs/kernel/durable-work', 'step-journal.ts', RUN_LEASE_SPEC, [
    [
      'StepJournal.runStep',
      'runs a finished step once',
      'if (known?.finished) return known.result as Result;',
    ],
  ]),
  ...guards('libs/kernel/durable-work', 'lease-guard.ts', 'lease-guard.spec.ts', [
    [
      'LeaseGuard.throwIfTaken',
      'was not confirmed for two thirds',
      '(performance.now() > this.leaseValidUntil)',
      '(this.leaseValidUntil < 0)',
    ],
  ]),
  ...guards(RUNS, 'agent/run-agent.ts', 'agent/run-agent.spec.ts', [
    ['RunAgent.endBy', 'leaves the end to the lease', 'if (isDatabaseUnavailable(error)) throw error;'],
  ]),
  ...guards(RESEARCH, 'go/go-lease.store.ts', 'go/go-agent.db.spec.ts', [
    ['CLAIM', 'costs nothing when', 'NULL AND lease_token IS'],
    ['RENEW', 'that another process has taken over', TOKEN],
    ['END', 'that another process has taken over', TOKEN],
  ]),
  ...guards(RESEARCH, 'go/go-journal.ts', 'go/go-agent.db.spec.ts', [
    [
      'FINISH',
      'is not paid twice',
      's.finished_at IS NULL AND r.id = s.run_id AND r.lease_token = $2',
      'r.id = s.run_id AND $2::text IS NOT NULL',
    ],
    ['BEGIN', 'that another process has taken over', TOKEN],
  ]),
  ...guards(RESEARCH, 'go/go-agent.ts', 'go/go-agent.db.spec.ts', [
    [
      'GoAgent.performResearch',
      'on from the same step',
      'research.apply(step, await this.restoreOutcome(run, done.result));',
    ],
  ]),
  ...guards('libs/domains/outreach', 'sending/outgoing-message.store.ts', 'sending/sending.db.spec.ts', [
    ['REAP', 'and settled only by the worker', "THEN 'unknown'", "THEN 'deferred'"],
  ]),
  ...guards('libs/domains/outreach', 'receiving/inbound-mail.store.ts', 'receiving/receiving.db.spec.ts', [
    ['ADVANCE', 'from a worker whose lease was lost', TOKEN],
  ]),
];

// Guards of credits: holds, charges, caps, shared searches and idempotent requests.
import { guards } from './guards.mjs';

const POSTGRES = 'libs/kernel/postgres';
const SERVICE_JOBS = 'libs/domains/service-jobs';
const RESEARCH = 'libs/domains/research';
const LINES_SPEC = 'libs/domains/service-jobs/src/service-jobs.db.spec.ts';
const SHARING_SPEC = 'libs/domains/service-jobs/src/sharing.db.spec.ts';
const DIRECT_SPEC = 'libs/domains/fast-services/src/fast-service.runner.db.spec.ts';
const LEDGER_SPEC = 'libs/domains/credit-ledger/src/credit-ledger.db.spec.ts';
const CAPS_SPEC = 'libs/domains/credit-ledger/src/spend-limits.db.spec.ts';

export const MONEY_MUTANTS = [
  ...guards(POSTGRES, 'functions/jobs/claim_jobs.sql', LINES_SPEC, [
    ['claim_jobs', 'a batch of inputs', 'WHERE w.hold <> ALL (v_paid));', 'WHERE false);'],
  ]),
  ...guards(POSTGRES, 'database/write-batcher.ts', LINES_SPEC, [
    [
      'WriteBatcher.writeGroup',
      'a claim',
      'group.length === 1 || isDatabaseUnavailable(error)',
      'group.length > 0',
    ],
  ]),
  ...guards(POSTGRES, 'functions/jobs/find_answers.sql', SHARING_SPEC, [
    ['find_answers', 'a search that two batches share', 'ORDER BY j.id FOR SHARE'],
  ]),
  ...guards(
    POSTGRES,
    'migrations/1763700000016-two-worlds.migration.ts',
    'libs/domains/runs/src/run.store.db.spec.ts',
    [
      [
        'SeparateTwoWorlds1763700000016.up',
        'starting a run',
        'CREATE UNIQUE INDEX run_by_idempotency_key',
        'CREATE INDEX run_by_idempotency_key',
      ],
    ],
  ),
  ...guards(POSTGRES, 'functions/jobs/cancel_batch.sql', LINES_SPEC, [
    ['cancel_batch', 'a cancelled batch', 'WHERE id <> ALL (v_shared)'],
  ]),
  ...guards(POSTGRES, 'functions/jobs/cancel_batch.sql', SHARING_SPEC, [
    ['cancel_batch', 'goes on for the other', 'j.batch_id = p_batch AND j.hold_id IS NULL', 'false'],
  ]),
  ...guards(POSTGRES, 'requests/idempotent-requests.ts', 'requests/idempotent-requests.db.spec.ts', [
    ['TAKE', 'races itself', 'WHERE k.answer IS NULL AND k.lease_until < clock_timestamp()'],
    ['IdempotentRequests.takeKey', 'with another body', '(row.body_hash !== keyedWork.hash)', '(false)'],
  ]),
  ...guards('libs/domains/fast-services', 'hold-batcher.ts', 'fast-service.runner.db.spec.ts', [
    [
      'HoldBatcher.writeEnds',
      'whose commit stands',
      'keep(tx, result);',
      'this.database.transaction(ctx, (own) => keep(own, result));',
    ],
    [
      'HoldBatcher.writeEnds',
      'a process that dies',
      "(outcomes.some(({ kind }) => kind === 'refused'))",
      '(false)',
    ],
  ]),
  ...guards(POSTGRES, 'migrations/1763700000002-credits.migration.ts', LEDGER_SPEC, [
    [
      'CreateCredits1763700000002.up',
      'the ledger',
      'CONSTRAINT available_not_negative CHECK (available >= 0),',
    ],
    [
      'CreateCredits1763700000002.up',
      'the ledger',
      `,
        CONSTRAINT sums_agree CHECK (available + reserved + spent = granted)`,
    ],
    [
      'CreateCredits1763700000002.up',
      'the ledger',
      'UNIQUE INDEX one_resolution_per_hold',
      'INDEX one_resolution_per_hold',
    ],
  ]),
  ...guards(POSTGRES, 'functions/credits/refuse_change.sql', LEDGER_SPEC, [
    [
      'refuse_change',
      'the ledger',
      `CREATE OR REPLACE TRIGGER transfers_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credits.transfers
  FOR EACH STATEMENT EXECUTE FUNCTION credits.refuse_change();`,
    ],
  ]),
  ...guards(POSTGRES, 'functions/credits/resolve_holds.sql', LEDGER_SPEC, [
    ['resolve_holds', 'the ledger', 'AND e.amount <= t.amount'],
    ['resolve_holds', 'the ledger', 'id = ANY (v_accounts) ORDER BY id FOR UPDATE;', 'false;'],
  ]),
  ...guards(POSTGRES, 'functions/credits/judge_holds.sql', LEDGER_SPEC, [
    ['judge_holds', 'the ledger', 'AND r.amount <= v_left'],
    ['judge_holds', 'the ledger', 'id = ANY (v_accounts) ORDER BY id FOR UPDATE;', 'false;'],
  ]),
  ...guards(POSTGRES, 'functions/credits/judge_holds.sql', CAPS_SPEC, [
    ['judge_holds', 'a spend cap', 'r.amount > v_room OR'],
    ['judge_holds', 'a spend cap', 'OR r.amount > (v_rooms ->> r.key_id)::bigint'],
  ]),
  ...guards(POSTGRES, 'functions/credits/resolve_holds.sql', CAPS_SPEC, [
    ['resolve_holds', 'gets back', 's.freed > 0', 'false'],
  ]),
  ...guards(SERVICE_JOBS, 'line-matcher.ts', 'service-jobs.db.spec.ts', [
    ['checkBalance', 'a batch of inputs', "if (kind === 'capped') throw capReached();"],
  ]),
  ...guards(POSTGRES, 'functions/credits/void_expired_holds.sql', DIRECT_SPEC, [
    ['void_expired_holds', 'a process that dies', 'WHERE e.expires_at < clock_timestamp()'],
  ]),
  ...guards(POSTGRES, 'functions/credits/judge_expiring_holds.sql', DIRECT_SPEC, [
    [
      'judge_expiring_holds',
      'a process that dies',
      "jsonb_path_exists(p_holds, '$[*].job_id ? (@ != null)')",
      'false',
    ],
  ]),
  ...guards('libs/domains/fast-services', 'fast-service.runner.ts', 'fast-service.runner.db.spec.ts', [
    ['FastServiceRunner.reserveCredits', 'a direct call', "(kind === 'held')", '(kind)'],
    ['FastServiceRunner.performCall', 'a direct call', 'await this.freeHold(ctx, holdId);'],
  ]),
  ...guards('libs/domains/credit-ledger', 'operator-credits.ts', 'apps/admin/src/commands.db.spec.ts', [
    ['grantCredits', 'a grant of one id', 'grantId === undefined', 'grantId !== null'],
  ]),
  ...guards('libs/domains/runs', 'columns/slow-row-caller.ts', 'agent/run-agent.spec.ts', [
    ['SlowRowCaller.callRows', 'where the balance does', 'isSpent: true', 'isSpent: false'],
  ]),
  ...guards(RESEARCH, 'go/go-agent.ts', 'go/go-agent.db.spec.ts', [
    [
      'GoAgent.writeEnd',
      'ends no run as charged',
      "kind === 'refused'",
      "kind !== 'refused' && kind !== 'resolved'",
    ],
  ]),
  ...guards(RESEARCH, 'research-budget.ts', 'go/go-agent.db.spec.ts', [
    ['ResearchBudget.checkStep', 'ends with its budget', "left < 0 ? 'spent' :"],
  ]),
  ...guards(RESEARCH, 'research-loop.ts', 'research-loop.spec.ts', [
    ['performResearch', 'every step was charged once', 'budget.addCost(cost);'],
  ]),
  ...guards('libs/sources/engine', 'waterfall.ts', 'waterfall.spec.ts', [
    ['withPayer', 'pays for its answer', '{ ...answer, paidBy }', 'answer'],
  ]),
  ...guards(RESEARCH, 'go/go-run.store.ts', 'go/go-agent.db.spec.ts', [
    ['GoRunStore.cancelRun', 'ends with its budget', 'await this.ledger.voidHold(tx, cancelled.hold_id);'],
  ]),
  ...guards('libs/edge/mcp', 'confirmation.ts', 'confirmation.spec.ts', [
    [
      'Confirmation.confirmSpend',
      'more than five credits',
      'spend.worstCase <= limit',
      'spend.worstCase <= Infinity',
    ],
    ['Confirmation.confirmSpend', 'to less than it costs now', '&& spend.worstCase <= subject.worstCase'],
  ]),
];

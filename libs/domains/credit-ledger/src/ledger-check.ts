import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, PeriodicTask, systemCtx, type Logger } from '@quarry/app';
import { Database } from '@quarry/postgres';
import { CreditLedger } from './credit-ledger.js';
import { statement } from './statements.types.js';

/** Time between two audits: a discrepancy must be known the same day, and auditing a million entries takes seconds. */
const INTERVAL_MS = 60 * 60 * 1000;
/** Time between two checks of one process for a due audit. The processes share the work. */
const LOOK_MS = 60 * 1000;
const FAULTS_KEPT_MAX = 100;
const CHECKS_KEPT_DAYS = 90;
/** Retention of usage counters, in days. They count days and months, so two years are enough for every spend cap. */
const USAGE_KEPT_DAYS = 730;
// "LDGR": the advisory lock that allows one audit at a time across all processes.
const LOCK = 0x4c_44_47_52;

/** The latest audit. */
export interface LastCheck {
  checkedAt: Date;
  faultCount: number;
}

const ctx = systemCtx('ledger-check');

/**
 * Recomputes every balance from its transfers once an hour for the whole installation, and stores the findings.
 * Each discrepancy is logged as an error and counted by the metric `quarry_ledger_faults`.
 */
@Injectable()
export class LedgerCheck extends PeriodicTask {
  constructor(
    private readonly database: Database,
    private readonly ledger: CreditLedger,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(() => this.checkIfDue().then(() => undefined), {
      intervalMs: LOOK_MS,
      onError: (error) => logger.warn({ err: error }, 'the ledger could not be checked'),
    });
  }

  /**
   * Audits the ledger if the latest audit is an hour old and no other process is running one.
   * @returns the discrepancies; null if no audit was due
   */
  async checkIfDue(): Promise<string[] | null> {
    const faults = await this.database.transaction(ctx, async (tx) => {
      // Two statements, because only the second one sees what another process wrote before it released the lock.
      const turn = await this.database.queryOne(tx, TAKE_TURN, [LOCK]);
      if (!turn?.isTaken) return null;
      if (!(await this.database.queryOne(tx, IS_DUE, [INTERVAL_MS]))?.isDue) return null;
      await this.database.query(tx, ALLOW_LONG);
      const from = performance.now();
      const found = await this.ledger.auditLedger(tx);
      await this.database.query(tx, NOTE_CHECK, [
        Math.round(performance.now() - from),
        found.slice(0, FAULTS_KEPT_MAX),
        found.length,
      ]);
      await this.database.query(tx, DELETE_OLD_CHECKS, [CHECKS_KEPT_DAYS]);
      await this.database.query(tx, DELETE_OLD_USAGE, [USAGE_KEPT_DAYS]);
      return found;
    });
    if (faults && faults.length > 0)
      this.logger.error(
        { faults: faults.slice(0, FAULTS_KEPT_MAX), faultCount: faults.length },
        'the books of the credit ledger disagree',
      );
    return faults;
  }

  /** @returns the latest audit of the installation; null before the first one */
  static async readLast(database: Database): Promise<LastCheck | null> {
    const row = await database.queryOne(ctx, LAST);
    return row && { checkedAt: row.checked_at, faultCount: row.fault_count };
  }
}

/** Recomputes every balance from its transfers, for an operator. @returns one sentence per discrepancy */
export function auditLedger(database: Database): Promise<string[]> {
  const operator = systemCtx('audit');
  return database.transaction(operator, async (tx) => {
    await database.query(tx, ALLOW_LONG);
    return new CreditLedger(database).auditLedger(tx);
  });
}

const TAKE_TURN = statement('ledger-check.takeTurn', 'SELECT pg_try_advisory_xact_lock($1) AS "isTaken"');

const IS_DUE = statement(
  'ledger-check.isDue',
  `
  SELECT NOT EXISTS (
    SELECT 1 FROM credits.ledger_checks WHERE checked_at > clock_timestamp() - make_interval(secs => $1 / 1000.0)
  ) AS "isDue"`,
);

// A large ledger takes longer than the usual statement timeout.
const ALLOW_LONG = statement('ledger-check.allowLong', 'SET LOCAL statement_timeout = 0');

const NOTE_CHECK = statement(
  'ledger-check.noteCheck',
  'INSERT INTO credits.ledger_checks (took_ms, faults, fault_count) VALUES ($1, $2, $3)',
);

const DELETE_OLD_CHECKS = statement(
  'ledger-check.deleteOldChecks',
  'DELETE FROM credits.ledger_checks WHERE checked_at < clock_timestamp() - make_interval(days => $1)',
);

const DELETE_OLD_USAGE = statement(
  'ledger-check.deleteOldUsage',
  'DELETE FROM credits.usage WHERE day < credits.utc_day(clock_timestamp()) - $1::integer',
);

const LAST = statement(
  'ledger-check.last',
  'SELECT checked_at, fault_count FROM credits.ledger_checks ORDER BY checked_at DESC LIMIT 1',
);

import { CreditLedger, LedgerCheck } from '@quarry/credit-ledger';
import { FAST_SERVICES_RPC } from '@quarry/dto';
import { fastRpcHandlers, FastServiceRunner, HoldReaper } from '@quarry/fast-services';
import type { Database, Logger, RpcHandlerSet } from '@quarry/platform';
import { ExclusionMatcher } from '@quarry/tables';
import type { SearchPart } from './services-part.js';
import { exclusionAdapter } from './tables.adapter.js';

/** Checks the books of the ledger every hour. Any number of processes may open it; one of them makes the check. */
export function ledgerCheckPart(options: { database: Database; logger: Logger }): { close(): Promise<void> } {
  const { database, logger } = options;
  const check = new LedgerCheck(database, new CreditLedger(database), logger);
  check.start();
  return { close: () => check.stop() };
}

export interface FastServicesPart {
  handlers: RpcHandlerSet;
  close(): Promise<void>;
}

/** Answers direct calls, and frees the credits of those that a crash has cut off. */
export function fastServicesPart(options: {
  database: Database;
  search: SearchPart;
  logger: Logger;
}): FastServicesPart {
  const { database, search, logger } = options;
  const ledger = new CreditLedger(database);
  const runner = new FastServiceRunner({
    database,
    ledger,
    providerFor: search.fastProviderFor,
    exclusions: exclusionAdapter({ exclusions: new ExclusionMatcher(database) }),
    logger,
  });
  const reaper = new HoldReaper(ledger, logger);
  reaper.start();
  return {
    handlers: { api: FAST_SERVICES_RPC, handlers: fastRpcHandlers(runner) },
    close: () => reaper.stop(),
  };
}

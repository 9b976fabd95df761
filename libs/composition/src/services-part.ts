import { CreditLedger, CreditStatements, SpendLimitStore } from '@quarry/credit-ledger';
import { QUEUES, SERVICES_RPC, type JobLinesReady, type QueueName } from '@quarry/dto';
import type { FastProviderFor } from '@quarry/fast-services';
import { type Database, type Logger, type QueueBus, type RpcHandlerSet } from '@quarry/platform';
import { crashPoints } from './crash-points.js';
import { cursorSigner } from './tables-part.js';
import {
  HttpVendorProvider,
  offering,
  PolicedProvider,
  SANDBOX_POLICY,
  SandboxActivityProvider,
  SandboxContactProvider,
  SandboxDirectory,
  SandboxResearchProvider,
  SandboxSearchProvider,
  VENDOR_POLICY,
  Waterfall,
  type ProviderFigures,
} from '@quarry/providers';
import type { VendorSettings } from './vendor.env.js';
import { RunLeaseStore } from '@quarry/runs';
import { SLOW_SERVICES } from '@quarry/service-catalog';
import {
  BatchStore,
  BatchWaiters,
  DeliveryReconciler,
  Intake,
  JobLeaseStore,
  leaseTiming,
  LineWorker,
  servicesRpcHandlers,
  type Deliver,
} from '@quarry/service-jobs';

export type Queues = QueueBus<typeof QUEUES>;

/** A message carries the ids of up to this many lines, which makes the queue's share of a line's cost small. */
const LINES_PER_MESSAGE = 25;

export interface SearchPart {
  /** Who searches for a mode of key. */
  searcherFor: (mode: 'live' | 'test') => Waterfall;
  /** Who answers a fast service for a mode of key; null when nobody does. */
  fastProviderFor: FastProviderFor;
  /** Ids of those who answer a service, slow or fast, in the order in which they are asked. */
  providersOf: (service: string, mode: 'live' | 'test') => string[];
  /** The directory that a mode of key may read; null where none is configured. */
  directoryFor: (mode: 'live' | 'test') => SandboxDirectory | null;
  /** What has happened to each vendor in this process. */
  figures: () => ProviderFigures[];
}

/**
 * Providers by mode: test keys always meet the sandbox. Live keys meet the operator's vendor, and the sandbox only
 * where it is switched on, for what the vendor does not offer: fiction must never follow a real vendor's miss.
 * @param sandbox whether the sandbox serves live keys
 */
export function searchPart(sandbox: boolean, vendor: VendorSettings | null = null): SearchPart {
  const directory = new SandboxDirectory();
  const sources = [
    new SandboxContactProvider({ directory }),
    new SandboxActivityProvider(),
    new SandboxResearchProvider(),
  ];
  const sandboxes = sources.map((source) => new PolicedProvider(source, SANDBOX_POLICY));
  const sandboxed = new Waterfall(sandboxes);
  const vendors = vendor ? [vendorAt(vendor)] : [];
  const isLeft = (service: string): boolean => !vendor?.services.includes(service);
  const live = new Waterfall([
    ...vendors,
    ...(sandbox ? sandboxes.map((each) => offering(each, isLeft)) : []),
  ]);
  const searcherFor = (mode: 'live' | 'test') => (mode === 'test' ? sandboxed : live);
  const fast = new PolicedProvider(new SandboxSearchProvider(directory), SANDBOX_POLICY);
  const isSandboxed = (mode: 'live' | 'test'): boolean => mode === 'test' || sandbox;
  const fastProviderFor: FastProviderFor = (service, mode) =>
    isSandboxed(mode) && fast.services.includes(service) ? fast : null;
  return {
    searcherFor,
    fastProviderFor,
    providersOf: (service, mode) => {
      const direct = fastProviderFor(service, mode);
      return [...searcherFor(mode).providersOf(service), ...(direct ? [direct.id] : [])];
    },
    directoryFor: (mode) => (isSandboxed(mode) ? directory : null),
    figures: () => vendors.map((each) => each.figures()),
  };
}

function vendorAt({ concurrency, ...options }: VendorSettings): PolicedProvider {
  return new PolicedProvider(new HttpVendorProvider(options), { ...VENDOR_POLICY, concurrency });
}

export interface BatchPart {
  batches: BatchStore;
  waiters: BatchWaiters;
  deliver: Deliver;
  handlers: RpcHandlerSet;
  close(): void;
}

/**
 * Accepts and reads batches; works on none.
 * @param options.cursorSecret signs cursors of the ledger; the same in every process that serves it
 */
export function batchPart(options: {
  database: Database;
  queues: Queues;
  search: SearchPart;
  cursorSecret: string;
}): BatchPart {
  const { database, queues, search } = options;
  const ledger = new CreditLedger(database);
  const deliver: Deliver = (queue, jobIds) => queues.add(queue as LineQueue, messagesOf(jobIds));
  const batches = new BatchStore(database, ledger, deliver, crashPoints());
  const waiters = new BatchWaiters((ctx, ids) => batches.endedAmong(ctx, ids));
  const handlers = servicesRpcHandlers({
    batches,
    waiters,
    ledger,
    statements: new CreditStatements(database, cursorSigner(options.cursorSecret)),
    limits: new SpendLimitStore(database),
    providersOf: search.providersOf,
  });
  return {
    batches,
    waiters,
    deliver,
    handlers: { api: SERVICES_RPC, handlers },
    close: () => waiters.close(),
  };
}

export interface WorkerPart {
  /** Takes nothing new, gives lines in flight `graceMs` (less when `hurry` fires), hands the rest back. */
  close(graceMs: number, hurry?: AbortSignal): Promise<void>;
}

/**
 * Consumes the queues of slow services.
 * @param options.queueNames which of them this process consumes
 * @param options.deadlineMaxMs shortens the deadline of every search that has a longer one
 * @param options.onEnded called after each message, so that a reader in this process need not wait for its ticker
 */
export function workerPart(options: {
  database: Database;
  queues: Queues;
  search: SearchPart;
  queueNames: readonly LineQueue[];
  deadlineMaxMs?: number;
  deliver: Deliver;
  onEnded: () => void;
  /** How long a lease of a line lasts; the default when left out. */
  leaseMs?: number;
  logger: Logger;
}): WorkerPart {
  const { database, queues, queueNames, logger } = options;
  const leases = new JobLeaseStore(database, leaseTiming(options.leaseMs));
  const worker = new LineWorker(leases, options.search.searcherFor, logger, {
    deadlineMaxMs: options.deadlineMaxMs,
    crashPoints: crashPoints(),
  });
  const intake = new Intake(
    {
      ask: () => database.ping(),
      pause: () => queues.pause(queueNames),
      resume: () => queues.resume(queueNames),
      logger,
    },
    leases.timing.heartbeatMs,
  );
  const work = async ({ jobIds }: JobLinesReady): Promise<void> => {
    await worker.work(jobIds).catch((error: unknown) => {
      intake.doubt();
      throw error;
    });
    options.onEnded();
  };
  queues.consume(
    queueNames,
    Object.fromEntries(queueNames.map((name) => [name, work])) as Record<LineQueue, typeof work>,
  );
  const reconciler = new DeliveryReconciler(database, {
    services: Object.values(SLOW_SERVICES)
      .filter(({ queue }) => queueNames.includes(queue as LineQueue))
      .map(({ name }) => name),
    deliver: options.deliver,
    work: (ids) => worker.work(ids),
    nextLine: async (queue) => (await queues.next(queue as LineQueue))?.jobIds[0] ?? null,
    logger,
  });
  reconciler.start();
  if (queueNames.length > 0) intake.start();
  return {
    close: async (graceMs, hurry) => {
      intake.stop();
      await queues.pause();
      await reconciler.stop();
      await worker.stop(graceMs, hurry);
    },
  };
}

/**
 * Ends the leases of a process that was killed. Only for the one process of an embedded database: it knows that
 * nobody else works on it.
 */
export async function expireLeases(database: Database): Promise<void> {
  await new JobLeaseStore(database).expireAll();
  await new RunLeaseStore(database).expireAll();
}

/** Queues that carry lines. */
export type LineQueue = Exclude<QueueName, 'agent-runs'>;
export const LINE_QUEUES = (Object.keys(QUEUES) as QueueName[]).filter(
  (name): name is LineQueue => QUEUES[name].consumer === 'worker',
);

function messagesOf(jobIds: readonly string[]): JobLinesReady[] {
  const messages: JobLinesReady[] = [];
  for (let i = 0; i < jobIds.length; i += LINES_PER_MESSAGE)
    messages.push({ jobIds: jobIds.slice(i, i + LINES_PER_MESSAGE) });
  return messages;
}

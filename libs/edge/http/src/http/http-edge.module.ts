import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, TrafficMetrics, WorkMetrics, type Logger } from '@quarry/app';
import { ElicitationMailbox, Database } from '@quarry/postgres';
import { openRedis } from '@quarry/queue';
import type { RpcTransport } from '@quarry/rpc';
import { IdentityModule, IdentityStore, identityKeySource, SessionFinder } from '@quarry/identity';
import { changeSource } from '../changes/tenant-changes.js';
import { eventSource } from '../events/event-source.js';
import { FallbackRateLimitStore } from '../limits/fallback-rate-limit.store.js';
import { MemoryRateLimitStore } from '../limits/memory-rate-limit.store.js';
import type { RateLimitStore } from '../limits/rate-limit.store.js';
import { RedisRateLimitStore } from '../limits/redis-rate-limit.store.js';
import { HttpApiModule } from './http-api.module.js';
import { packagedWebFolder } from './web-files.js';

/** Patience with the limiter: slower than this, counting in this process serves the caller better. */
const REDIS_COMMAND_TIMEOUT_MS = 250;

export interface HttpEdgeSettings {
  /** The way to the services; stays open when the edge closes. */
  rpc: RpcTransport;
  /** Redis that all gateways count requests in; null: this process counts by itself. */
  redisUrl: string | null;
  /** Multiplies every budget. */
  rateLimitScale: number;
  /** Networks of the proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** Web pages that may use /mcp, beside those of this machine. */
  allowedOrigins: readonly string[];
  /** Seal what tools hand out and take back; the first seals, each opens. The same in every gateway. */
  toolSecrets: readonly [string, ...string[]];
  /** Seconds that `POST /v1/go/run` is held; 100 when left out. */
  goHeldSeconds?: number;
  /** Address of the web application; undefined: /app where the request was sent to. */
  appUrl?: string | undefined;
  /** Folder with the files of the web application; undefined: that of its package. */
  webFolder?: string | undefined;
}

const RATE_LIMITS = Symbol('quarry:rate-limits');

/** Counts requests, and closes the way to where they are counted. */
@Module({})
class RateLimitsModule implements OnApplicationShutdown {
  static forRoot(redisUrl: string | null): DynamicModule {
    const useFactory = (logger: Logger) => openRateLimits(redisUrl, logger);
    return {
      module: RateLimitsModule,
      providers: [{ provide: RATE_LIMITS, useFactory, inject: [LOGGER] }],
      exports: [RATE_LIMITS],
    };
  }

  constructor(@Inject(RATE_LIMITS) private readonly rateLimits: RateLimitStore) {}

  async onApplicationShutdown(): Promise<void> {
    await this.rateLimits.close();
  }
}

/** The public API over the database that holds its keys. */
@Module({})
export class HttpEdgeModule {
  static forRoot(settings: HttpEdgeSettings): DynamicModule {
    const { redisUrl, appUrl, webFolder, ...edge } = settings;
    return {
      module: HttpEdgeModule,
      imports: [
        HttpApiModule.forRootAsync({
          imports: [RateLimitsModule.forRoot(redisUrl), IdentityModule],
          inject: [
            Database,
            IdentityStore,
            SessionFinder,
            RATE_LIMITS,
            LOGGER,
            TrafficMetrics,
            WorkMetrics,
            ElicitationMailbox,
          ],
          useFactory: (
            database: Database,
            identity: IdentityStore,
            sessions: SessionFinder,
            rateLimits: RateLimitStore,
            logger: Logger,
            metrics: TrafficMetrics,
            work: WorkMetrics,
            elicitationMailbox: ElicitationMailbox,
          ) => ({
            ...edge,
            appUrl: appUrl?.replace(/\/+$/, ''),
            webFolder: webFolder ?? packagedWebFolder(),
            findSession: (token) => sessions.findSession(token),
            changes: changeSource(database, sessions),
            events: eventSource(database, identity, sessions),
            onChangesFailure: (error) =>
              logger.warn({ err: error }, 'changes or events could not be looked for'),
            keys: identityKeySource(identity, (error) =>
              logger.warn({ err: error }, 'the use of a key could not be noted'),
            ),
            rateLimits,
            elicitationMailbox,
            onToolFailure: (error, tool, requestId) =>
              logger.error({ err: error, tool, requestId }, 'a tool failed'),
            onProtocolFault: (message) => logger.debug({ message }, 'a message was none of the protocol'),
            onAnswered: (...of) => metrics.countAnswer(...of),
            onBudget: (budget) => work.watchBudget('requests', budget),
            readiness: { database: () => database.ping() },
            isStuck: () => database.isStuck,
          }),
        }),
      ],
    };
  }
}

async function openRateLimits(redisUrl: string | null, logger: Logger): Promise<RateLimitStore> {
  const local = new MemoryRateLimitStore();
  if (redisUrl === null) return local;
  const shared = new RedisRateLimitStore(await openRedis(redisUrl, REDIS_COMMAND_TIMEOUT_MS));
  return new FallbackRateLimitStore(shared, local, (error) =>
    logger.warn({ err: error }, 'requests are counted in this process: Redis cannot be asked'),
  );
}

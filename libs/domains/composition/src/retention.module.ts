import { Module, type DynamicModule } from '@nestjs/common';
import { LOGGER, RetentionTask, systemCtx, type Logger, type RetentionRule } from '@quarry/app';
import { ElicitationMailbox, Database, IdempotentRequests } from '@quarry/postgres';
import { enrichmentRetention } from '@quarry/enrichments';
import { eventRetention } from '@quarry/events';
import { goRetention } from '@quarry/research';
import { monitorRetention } from '@quarry/monitors';
import { outreachRetention } from '@quarry/outreach';
import { runRetention } from '@quarry/runs';
import { lineRetention } from '@quarry/service-jobs';
import { tableRetention } from '@quarry/tables';
import { pushRetention, webhookRetention } from '@quarry/webhooks';
import type { RetentionSettings } from './retention.env.js';

/** Libraries with limited retention, each in the process that owns it. */
export type RetainedDomain = 'lines' | 'runs' | 'tables' | 'go';

/** Removes expired data of the domains of this process. Any number of processes may do so concurrently. */
@Module({})
export class RetentionModule {
  static forRoot(options: {
    settings: RetentionSettings;
    domains: readonly RetainedDomain[];
  }): DynamicModule {
    return {
      module: RetentionModule,
      providers: [
        {
          provide: RetentionTask,
          useFactory: (
            database: Database,
            requests: IdempotentRequests,
            answers: ElicitationMailbox,
            logger: Logger,
          ) => new RetentionTask(rulesOf(database, { requests, answers }, options), logger),
          inject: [Database, IdempotentRequests, ElicitationMailbox, LOGGER],
        },
      ],
    };
  }
}

function rulesOf(
  database: Database,
  kept: KeptRequests,
  { settings, domains }: Parameters<typeof RetentionModule.forRoot>[0],
): RetentionRule[] {
  const rulesOf: Record<RetainedDomain, () => RetentionRule[]> = {
    lines: () => lineRetention(database, { endedDays: settings.endedDays }),
    runs: () => [
      ...enrichmentRetention(database, { detailDays: settings.runDetailDays }),
      ...monitorRetention(database),
      ...runRetention(database, { detailDays: settings.runDetailDays }),
    ],
    go: () => goRetention(database),
    tables: () => [
      ...webhookRetention(database),
      ...pushRetention(database),
      ...outreachRetention(database, { mailDays: settings.mailDays }),
      ...eventRetention(database),
      ...tableRetention(database, { archivedDays: settings.archivedDays }),
      ...requestRules(kept),
    ],
  };
  return domains.flatMap((domain) => rulesOf[domain]());
}

interface KeptRequests {
  requests: IdempotentRequests;
  answers: ElicitationMailbox;
}

function requestRules({ requests, answers }: KeptRequests): RetentionRule[] {
  const ctx = systemCtx('retention');
  return [
    { what: 'answers to keyed requests', removeSome: () => requests.deleteOld(ctx) },
    { what: 'answers of clients that nobody took', removeSome: () => answers.deleteOld(ctx) },
  ];
}

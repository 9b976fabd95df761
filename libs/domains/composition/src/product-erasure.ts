import { enrichmentErasure } from '@quarry/enrichments';
import { goErasure } from '@quarry/research';
import { monitorErasure } from '@quarry/monitors';
import { outreachErasure } from '@quarry/outreach';
import { IdempotentRequests } from '@quarry/postgres';
import type { ErasureParts } from '@quarry/privacy';
import { planErasure, runErasure } from '@quarry/runs';
import { lineErasure } from '@quarry/service-jobs';
import { eraseWorkspaceName, tableErasure } from '@quarry/tables';
import { destinationErasure } from '@quarry/webhooks';

/** Parts of an erasure, one for each library with personal data. */
export const PRODUCT_ERASURE: ErasureParts = {
  lines: lineErasure,
  plans: planErasure,
  monitors: monitorErasure,
  enrichments: enrichmentErasure,
  runs: runErasure(eraseWorkspaceName),
  tables: tableErasure,
  go: goErasure,
  destinations: destinationErasure,
  outreach: outreachErasure,
  requestAnswers: IdempotentRequests.erasure,
};

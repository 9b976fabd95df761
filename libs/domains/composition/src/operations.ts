import type { DynamicModule } from '@nestjs/common';
import { addModelMetrics, ModelMetrics } from '@quarry/language-models';
import { OperationsModule } from '@quarry/platform';
import { Database } from '@quarry/postgres';
import { Providers } from '@quarry/engine';
import { addProviderMetrics } from '@quarry/providers';
import { productMetrics } from './product-metrics.js';
import type { RetentionSettings } from './retention.env.js';

/** @returns the module that serves the product's metrics; none if no port is configured for it */
export function operationsOf(settings: {
  /** Name of the process in its metrics. */
  app: string;
  host: string;
  port: number | undefined;
  retention: RetentionSettings;
}): DynamicModule[] {
  const { app, host, port, retention } = settings;
  if (port === undefined) return [];
  const registry = (database: Database, providers?: Providers, models?: ModelMetrics) => {
    const metrics = productMetrics(app, database, retention);
    if (providers) addProviderMetrics(metrics, () => providers.readMetrics());
    if (models?.readMetrics()) addModelMetrics(metrics, () => models.readMetrics()!);
    return metrics;
  };
  const inject = [Database, { token: Providers, optional: true }, { token: ModelMetrics, optional: true }];
  return [OperationsModule.forRoot({ app, host, port, inject, registry })];
}

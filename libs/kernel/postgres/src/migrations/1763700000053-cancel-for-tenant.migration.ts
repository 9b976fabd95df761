import type { MigrationInterface } from 'typeorm';

/** Changed a function whose text is now in functions/jobs/cancel_batch.sql. Databases have recorded this migration. */
export class CancelForTenant1763700000053 implements MigrationInterface {
  readonly name = 'CancelForTenant1763700000053';

  up(): Promise<void> {
    return Promise.resolve();
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

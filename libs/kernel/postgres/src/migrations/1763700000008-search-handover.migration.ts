import type { MigrationInterface } from 'typeorm';

/** Changed a function whose text is now in functions/jobs/cancel_batch.sql. Databases have recorded this migration. */
export class HandSearchesOver1763700000008 implements MigrationInterface {
  up(): Promise<void> {
    return Promise.resolve();
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

import type { MigrationInterface } from 'typeorm';

/** Changed a function, whose text stands in functions/jobs/cancel_batch.sql. Databases remember its name. */
export class HandSearchesOver1763700000008 implements MigrationInterface {
  up(): Promise<void> {
    return Promise.resolve();
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

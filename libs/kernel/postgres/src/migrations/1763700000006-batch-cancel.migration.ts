import type { MigrationInterface } from 'typeorm';

/** Made a function, whose text stands in functions/jobs/cancel_batch.sql. Databases remember its name. */
export class AddBatchCancel1763700000006 implements MigrationInterface {
  up(): Promise<void> {
    return Promise.resolve();
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

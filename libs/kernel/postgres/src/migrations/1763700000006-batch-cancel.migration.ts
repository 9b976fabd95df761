import type { MigrationInterface } from 'typeorm';

/** Created a function whose text is now in functions/jobs/cancel_batch.sql. Databases have recorded this migration. */
export class AddBatchCancel1763700000006 implements MigrationInterface {
  up(): Promise<void> {
    return Promise.resolve();
  }

  down(): Promise<void> {
    return Promise.resolve();
  }
}

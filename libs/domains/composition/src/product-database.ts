import { QUEUE_NAMES } from '@quarry/dto';
import { migrateInstallation, openMigratedDatabase } from '@quarry/installation';
import type { Database, MigrateOptions } from '@quarry/postgres';

/**
 * Brings the schema of the product and of its queues up to date, when the user of the address may do that, and opens the database.
 * @param options.workingUrl address to work with; when left out, the same one in the working role
 * @param options.queueUrl where the queues live; the same database when left out
 * @throws DatabaseSetUpError
 */
export function migratedDatabase(
  url: string,
  applicationName: 'local' | 'admin',
  options: { workingUrl?: string | null; queueUrl?: string | undefined } = {},
): Promise<Database> {
  return openMigratedDatabase(url, applicationName, { ...options, queueNames: QUEUE_NAMES });
}

/**
 * Brings the schema of the product and of its queues up to date, and gives the roles their rights.
 * @param url address of the database for its owner
 * @param queueUrl where the queues live; the same database when left out
 * @returns the names of the migrations that were applied
 * @throws DatabaseSetUpError
 */
export function migrateProduct(
  url: string,
  queueUrl: string | undefined,
  options: MigrateOptions = {},
): Promise<string[]> {
  return migrateInstallation(url, { queueUrl, queueNames: QUEUE_NAMES }, options);
}

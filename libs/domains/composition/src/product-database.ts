import { QUEUE_NAMES } from '@quarry/dto';
import { migrateInstallation, openMigratedDatabase } from '@quarry/installation';
import type { Database, MigrateOptions } from '@quarry/postgres';

/**
 * Migrates the schema of the product and of its queues if the user of the address may do so, and opens the database.
 * @param options.workingUrl address to work with; by default the same one in the working role
 * @param options.queueUrl address of the queues; the same database by default
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
 * Migrates the schema of the product and of its queues, and grants the rights of the roles.
 * @param url address of the database for its owner
 * @param queueUrl address of the queues; the same database by default
 * @returns the names of the applied migrations
 * @throws DatabaseSetUpError
 */
export function migrateProduct(
  url: string,
  queueUrl: string | undefined,
  options: MigrateOptions = {},
): Promise<string[]> {
  return migrateInstallation(url, { queueUrl, queueNames: QUEUE_NAMES }, options);
}

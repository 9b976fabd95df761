import { QUEUE_NAMES } from '@quarry/dto';
import { migrate, ROLES, roleSql } from '@quarry/postgres';
import { migrateQueues } from '@quarry/queue';
import { startTestPostgres, type TestPostgres } from '@quarry/test-servers';

/**
 * Starts a temporary PostgreSQL with the product's roles and schema in its template database.
 * @param dir empty folder; removed at stop
 */
export function startMigratedPostgres(dir: string): Promise<TestPostgres> {
  return startTestPostgres(dir, {
    roles: Object.fromEntries(Object.values(ROLES).map((role) => [role, roleSql(role)])),
    working: ROLES.working,
    migrate: async (url) => {
      await migrate(url);
      await migrateQueues(url, QUEUE_NAMES);
    },
  });
}

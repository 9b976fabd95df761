// The types of each library's statements, from a PostgreSQL server that is started and migrated for this.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Database, declaredStatements } from '@quarry/postgres';
import { TEMPLATE_DATABASE } from '@quarry/test-servers';
import { statementTypes } from '../statement-types.mjs';

/** @throws Error naming each statement that PostgreSQL rejects */
export async function renderAll(root) {
  const built = (library, file) => import(pathToFileURL(join(root, library, 'dist', `${file}.js`)).href);
  const { startMigratedPostgres } = await built('libs/testing/testing', 'migrated-postgres');
  const server = await startMigratedPostgres(mkdtempSync(join(tmpdir(), 'quarry-statements-')));
  try {
    const url = new URL(server.adminUrl);
    url.pathname = `/${TEMPLATE_DATABASE}`;
    const database = await Database.open({ url: url.href, applicationName: 'statement-types' });
    const { files, faults } = await database
      .withConnection((client) => statementTypes(root, client, { load: built, declared: declaredStatements }))
      .finally(() => database.close());
    if (faults.length > 0) throw new Error(`Statements that the schema refuses:\n${faults.join('\n')}`);
    return files;
  } finally {
    await server.stop();
  }
}

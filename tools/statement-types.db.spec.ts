import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { declaredStatements, statementsOf } from '@quarry/postgres';
import { useTestDatabase } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

type Declared = ReadonlyArray<{ name: string; text: string }>;
interface Found {
  files: Array<{ path: string; text: string }>;
  faults: string[];
}

/**
 * Number of statements that use the driver instead of `Database`, by file: those that create, check, move and restore databases
 * (without a schema to check against, or built from its names), and COPY, which has no parameters.
 */
const ON_THE_DRIVER: Record<string, number> = {
  'libs/kernel/installation/src/local-database.ts': 15,
  'libs/kernel/installation/src/backup/kept-tables.ts': 2,
  'libs/kernel/installation/src/backup/restore-backup.ts': 16,
  'libs/kernel/installation/src/backup/write-backup.ts': 7,
  'libs/kernel/postgres/src/schema/access-rules.ts': 5,
  'libs/kernel/postgres/src/database/connection-settings.ts': 4,
  // Transaction control, and the functions that run the statements of specs and of the files above.
  'libs/kernel/postgres/src/database/database.ts': 4,
  'libs/kernel/postgres/src/functions/apply-functions.ts': 6,
  'libs/kernel/postgres/src/schema/migrate.ts': 11,
  'libs/kernel/postgres/src/database/roles.ts': 6,
  'libs/kernel/postgres/src/database/scoped-query.ts': 1,
  'libs/kernel/queue/src/queue-schema.ts': 4,
  // Each directory is a separate table, created when its file is imported.
  'libs/sources/imported/src/tables/build-indexes.ts': 3,
  'libs/sources/imported/src/tables/directory.store.ts': 2,
  'libs/sources/imported/src/tables/drop-table.ts': 4,
  // An erasure waits for imports on a separate connection.
  'libs/sources/imported/src/tables/erased-people.ts': 6,
  'libs/sources/imported/src/import/directory-importer.ts': 10,
  'libs/domains/tables/src/exports/table-copy-out.ts': 1,
  'libs/domains/tables/src/import/table-copy.ts': 1,
};

describe('the types of SQL statements', () => {
  const test = useTestDatabase();
  let statementTypes: (
    root: string,
    client: unknown,
    modules: { load: (library: string, file: string) => Promise<unknown>; declared: () => Declared },
  ) => Promise<Found>;

  beforeAll(async () => {
    ({ statementTypes } = await import(join(ROOT, 'tools/statement-types.mjs')));
  });

  const describeAll = (declared: () => Declared): Promise<Found> =>
    test.database.withConnection((client) =>
      statementTypes(ROOT, client, {
        load: (library, file) => import(join(ROOT, library, 'src', `${file}.ts`)),
        declared,
      }),
    );
  const faultsOf = async (...texts: string[]): Promise<string[]> =>
    (await describeAll(() => texts.map((text, i) => ({ name: `planted.${i}`, text })))).faults;

  it('match the migrated schema, for every statement that a library declares', async () => {
    const { files, faults } = await describeAll(declaredStatements);
    printMeasurement(`statements: ${declaredStatements().length} with the schema's types`);
    expect(faults).toEqual([]);
    expect(declaredStatements().length).toBeGreaterThan(150);
    for (const { path, text } of files)
      expect({ path, text: unformatted(readFileSync(join(ROOT, path), 'utf8')) }).toEqual({
        path,
        text: unformatted(text),
      });
  });

  it('cannot be derived for a column, table or comparison that the schema does not have', async () => {
    const faults = await faultsOf(
      'SELECT nme FROM tables.workspaces',
      'SELECT 1 FROM tables.workspace',
      'SELECT 1 FROM runs.runs WHERE created_at = $1 AND created_at = 5',
      'UPDATE jobs.jobs SET stat = $1',
    );
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.stringContaining('column "nme" does not exist'),
        expect.stringContaining('relation "tables.workspace" does not exist'),
        expect.stringContaining('operator does not exist'),
        expect.stringContaining('column "stat" of relation "jobs" does not exist'),
      ]),
    );
  });

  it('make the compiler refuse other parameters or columns', () => {
    const statement = statementsOf<{
      'planted.name': { params: readonly [string | null]; row: { name: string; at: Date | null } };
    }>();
    // @ts-expect-error nobody has generated a type for it
    const unknown = () => statement('planted.other', 'SELECT 1');
    const planted = statement(
      'planted.name',
      'SELECT name, archived_at AS at FROM tables.workspaces WHERE id = $1',
    );
    const ask = (params: readonly [string]) => test.database.query(test.database as never, planted, params);
    const wrong = () => [
      // @ts-expect-error a number for a text
      test.database.query(test.database as never, planted, [1]),
      // @ts-expect-error a parameter too many
      test.database.query(test.database as never, planted, ['a', 'b']),
      // @ts-expect-error no parameter
      test.database.query(test.database as never, planted),
      // @ts-expect-error a column that is not there
      ask(['a']).then(([row]) => row?.nme),
      // @ts-expect-error it may be null
      ask(['a']).then(([row]) => row?.at.getTime()),
      // @ts-expect-error not what the schema says of the column
      planted.rows<{ name: number }>(),
      // @ts-expect-error no column of this name
      planted.rows<{ nme: string }>(),
      // Types that the schema does not determine may be declared.
      planted.rows<{ at: Date }>(),
    ];
    expect([unknown, wrong]).toHaveLength(2);
  });

  it('are missing only for statements that create or move databases', () => {
    expect(onTheDriver()).toEqual(ON_THE_DRIVER);
  });
});

/** Removes what the formatter adds. */
function unformatted(text: string): string {
  return text
    .replace(/\s/g, '')
    .replace(/"/g, "'")
    .replace(/[,;]([\]}])/g, '$1')
    .replace(/:\|/g, ':');
}

function onTheDriver(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const folder of globSync('{apps/*,libs/*/*}/src', { cwd: ROOT }))
    for (const path of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
      const file = `${folder}/${path}`;
      if (!file.endsWith('.ts') || /spec|model-test|migrations\/|^libs\/testing\//.test(file)) continue;
      const calls = readFileSync(join(ROOT, file), 'utf8').match(
        /\b(client|on|lock|inside|runner|queryRunner|first|pool)\.query\b(?!<typeof )/g,
      );
      if (calls) counts[file] = calls.length;
    }
  return counts;
}

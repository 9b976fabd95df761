// Types of the statements that the libraries declare, from the schema: PostgreSQL parses each one and describes its parameters
// and columns. Nothing is executed. Columns that come from a table also have its nullability and its CHECKs.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolders } from './project-folders.mjs';

/** By oid: the types that the driver accepts for a parameter and returns for a column (database.ts sets the parsers). */
const SCALARS = {
  16: ['boolean', 'boolean'],
  17: ['Buffer', 'Buffer'],
  20: ['number | string', 'string'],
  21: ['number', 'number'],
  23: ['number', 'number'],
  25: ['string', 'string'],
  114: ['string', 'unknown'],
  701: ['number', 'number'],
  1043: ['string', 'string'],
  1082: ['Date | string', 'Date'],
  1184: ['Date | string', 'Date'],
  1700: ['number | string', 'string'],
  2278: ['never', 'string'],
  2950: ['string', 'string'],
  3802: ['string', 'unknown'],
};
/** Short names of the usual types, which statement.ts of libs/kernel/postgres exports. */
const SHORT = {
  Text: 'string | null',
  Texts: 'ReadonlyArray<string | null> | null',
  Num: 'number | null',
  BigNum: 'number | string | null',
  Flag: 'boolean | null',
  Time: 'Date | string | null',
};
/** Types of columns that have one of several words, by the names under which a generated file declares those that it uses. */
const WORDS = new Map();
const NAMES = new Map(Object.entries(SHORT).map(([name, type]) => [type, name]));
const ARRAYS = { 1000: 16, 1007: 23, 1009: 25, 1015: 1043, 1016: 20 };

/** Returns the libraries that declare statements, with the declaring sources, without ".ts". */
function declaringFiles(root) {
  return projectFolders(root, ['libs'])
    .map((library) => ({ library, files: sourcesOf(join(root, library, 'src')).sort() }))
    .filter(({ files }) => files.length > 0);
}

function sourcesOf(folder, prefix = '') {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourcesOf(path, `${prefix}${entry.name}/`);
    const isDeclaring =
      entry.name.endsWith('.ts') &&
      /import \{ statement \} from '[./]+\/statements\.types\.js'/.test(readFileSync(path, 'utf8'));
    return isDeclaring ? [`${prefix}${entry.name.slice(0, -3)}`] : [];
  });
}

/**
 * @param {string} root folder of the checkout
 * @param {import('pg').ClientBase} client of a migrated database
 * @param {{ load: (library: string, file: string) => Promise<unknown>, declared: () => readonly { name: string, text: string }[] }} modules
 *   loads a module of a library, and returns the statements that the loaded modules have declared
 * @returns {Promise<{ files: Array<{ path: string, text: string }>, count: number, faults: string[] }>} the file of each
 *   library, and a sentence for each statement that PostgreSQL rejects or whose name is not unique
 */
export async function statementTypes(root, client, { load, declared }) {
  const libraries = declaringFiles(root);
  for (const { library, files } of libraries) for (const file of files) await load(library, file);
  const columns = await columnsOf(client);
  const [types, faults] = [new Map(), []];
  for (const { name, text } of declared()) {
    if (types.has(name)) faults.push(`${name}: there are two of this name.`);
    try {
      types.set(name, typeOf(text, await describe(client, text), columns));
    } catch (error) {
      types.set(name, 'never');
      faults.push(`${name}: ${error.message}`);
    }
  }
  const files = libraries.map((each) => {
    const heads = new Set(each.files.map(nameOf));
    const own = [...types].filter(([name]) => heads.has(name.split('.')[0]));
    for (const [name] of own) types.delete(name);
    return { path: `${each.library}/src/statements.types.ts`, text: renderTypes(each.library, own) };
  });
  faults.push(...[...types.keys()].map((name) => `${name}: its name does not begin with that of its file.`));
  return { files, count: declared().length, faults };
}

/** Returns the first part of the file's name, which is the prefix of its statements' names. */
function nameOf(file) {
  return file.split('/').at(-1).split('.')[0];
}

/** Parses a statement without executing it. @throws the server's error: a wrong column, a wrong type */
function describe(client, text) {
  return new Promise((resolve, reject) => {
    const { connection } = client;
    const described = { params: [], fields: [] };
    const onParams = ({ dataTypeIDs }) => (described.params = dataTypeIDs);
    const end = (settle) => {
      connection.removeListener('parameterDescription', onParams);
      settle();
    };
    client.query({
      submit: () => {
        connection.once('parameterDescription', onParams);
        connection.parse({ name: '', text });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
      },
      handleRowDescription: ({ fields }) => (described.fields = fields),
      // After an error the driver passes no further messages to the query.
      handleError: (error) => end(() => reject(error)),
      handleReadyForQuery: () => end(() => resolve(described)),
    });
  });
}

/** Returns the columns of tables by table and number: whether they may be null, and the words that a CHECK allows. */
async function columnsOf(client) {
  const { rows } = await client.query(
    `SELECT a.attrelid, a.attnum, a.attnotnull, ARRAY[t.relnamespace::regnamespace, t.relname, a.attname]::text[] AS names, (
       SELECT pg_get_constraintdef(c.oid) FROM pg_constraint c
       WHERE c.conrelid = a.attrelid AND c.contype = 'c' AND c.conkey = ARRAY[a.attnum]
         AND pg_get_constraintdef(c.oid) LIKE 'CHECK ((% = ANY (ARRAY[%]%))%' LIMIT 1) AS allowed
     FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
     WHERE a.attnum > 0 AND NOT a.attisdropped AND t.relkind IN ('r', 'p', 'v') ORDER BY 1, 2`,
  );
  return new Map(
    rows.map(({ attrelid, attnum, attnotnull, names, allowed }) => [
      `${attrelid}.${attnum}`,
      { isNullable: !attnotnull, words: wordsOf(allowed, names) },
    ]),
  );
}

/** Returns the type of a column whose CHECK lists its words; a list of more than two gets the name of its column. */
function wordsOf(check, [schema, table, column]) {
  const list = /^CHECK \(\(\w+ = ANY \(ARRAY\[((?:'[a-z_]+'::text(?:, )?)+)\]\)\)\)$/.exec(check ?? '');
  if (!list) return null;
  const words = [...list[1].matchAll(/'([a-z_]+)'/g)].map(([word]) => word);
  const type = words.join(' | ');
  if (words.length <= 2) return type;
  const names = [`${table}_${column}`, `${schema}_${table}_${column}`].map((each) =>
    each.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase()),
  );
  const name = names.find((each) => (WORDS.get(each) ?? type) === type);
  WORDS.set(name, type);
  return name;
}

function typeOf(text, { params, fields }, columns) {
  // PostgreSQL does not describe which columns an outer join makes nullable, so all of them may be.
  const mayMissRows = /\b(left|right|full)\s+(outer\s+)?join\b/i.test(text);
  const row = fields.map(({ name, tableID, columnID, dataTypeID }) => {
    const column = columns.get(`${tableID}.${columnID}`);
    const type = column?.words ?? scalarOf(dataTypeID, 1);
    const isNullable = type !== 'unknown' && (mayMissRows || (column?.isNullable ?? true));
    return `${/^\w+$/.test(name) && !/^\d/.test(name) ? name : JSON.stringify(name)}: ${isNullable ? nullable(type) : type}`;
  });
  const given = params.map((oid) => nullable(scalarOf(oid, 0)));
  return `Typed<[${given.join(', ')}]${row.length === 0 ? '' : `, {${row.map((each) => ` ${each};`).join('')} }`}>`;
}

function nullable(type) {
  return NAMES.get(`${type} | null`) ?? `${type} | null`;
}

function scalarOf(oid, side) {
  if (ARRAYS[oid]) return `ReadonlyArray<${scalarOf(ARRAYS[oid], side)} | null>`;
  const types = SCALARS[oid];
  if (!types) throw new Error(`the type with oid ${oid} has no TypeScript yet (tools/statement-types.mjs)`);
  return types[side];
}

/** Returns a long row, or a reference to the statement that has the same one. */
function firstRow(rows, row, name) {
  const first = rows.get(row);
  if (first) return `StatementTypes['${first}']['row']`;
  rows.set(row, name);
  return row;
}

function renderTypes(library, types) {
  const from = library === 'libs/kernel/postgres' ? './database/statement.js' : '@quarry/postgres';
  const used = new Set(types.flatMap(([, type]) => type.match(/\b[A-Z]\w+/g)));
  const short = ['Typed', ...Object.keys(SHORT)].filter((name) => used.has(name)).sort();
  const words = [...WORDS]
    .filter(([name]) => used.has(name))
    .map(([name, type]) => `type ${name} = ${type};\n`);
  types.sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = new Map();
  return `// Written by "npm run generate" from the migrated schema. Do not edit.
import { statementsOf } from '${from}';
import type { ${short.join(', ')} } from '${from}';

${words.join('')}
interface StatementTypes {
${types.map(([name, type]) => `  '${name}': ${type.replace(/\{.{60,}\}/, (row) => firstRow(rows, row, name))};`).join('\n')}
}

/** Declares a statement of this library, in a constant of its module; its types are written by "npm run generate". */
export const statement = statementsOf<StatementTypes>();
`;
}

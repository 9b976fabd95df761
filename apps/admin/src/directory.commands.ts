import { basename, extname } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { foldText } from '@quarry/vocabulary';
import {
  DIRECTORY_KINDS,
  DirectoryImporter,
  DirectoryStore,
  ErasedPeople,
  findMapping,
  guessMapping,
  JsonLinesFile,
  type DirectoryFile,
  type DirectoryKind,
  type ImportOrder,
  type ImportReport,
  type MappingGuess,
} from '@quarry/imported';
import { CsvSource } from '@quarry/tables';
import type { Command, Options } from './commands.js';
import { FileProgress } from './file-progress.js';
import { personOf } from './person-options.js';

const JSON_LINES = new Set(['.jsonl', '.ndjson', '.json']);
const NAME_MAX = 40;
const SHOWN_CHARACTERS = 60;

/** Commands for directories of companies and people that every organisation may search, from the operator's files. */
export const DIRECTORY_COMMANDS: Readonly<Record<string, Command>> = {
  'directory:import': {
    description:
      'Imports a CSV or JSON lines file as a directory of companies or people for all organisations. A directory of the same name is replaced.',
    usage:
      'directory:import --kind companies|people --file F [--name N] [--map "<column>=<field>"]… [--accept-guesses] [--dry-run]',
    options: {
      kind: 'required',
      file: 'required',
      name: 'optional',
      map: 'list',
      'accept-guesses': 'switch',
      'dry-run': 'switch',
    },
    run: async (database, options) => {
      const { guesses, ...order } = await orderOf(options);
      process.stderr.write(shownMapping(order, guesses));
      const progress = new FileProgress();
      const onProgress = (step: string, part: number): void => progress.reportProgress(step, part);
      const isDry = options['dry-run'] === true;
      if (guesses.length > 0 && !isDry && options['accept-guesses'] !== true)
        await requireAccepted(order, guesses);
      const report = isDry
        ? await DirectoryImporter.checkFile(order, onProgress)
        : await new DirectoryImporter(database).importFile(order, onProgress);
      return answerOf(order, report, { isDry, guesses });
    },
  },
  'directory:list': {
    description: 'Lists the imported directories.',
    usage: 'directory:list',
    options: {},
    run: async (database) => ({
      items: (await new DirectoryStore(database).listSummaries()).map((each) => ({
        kind: each.kind,
        name: each.name,
        row_count: each.rowCount,
        rejected_count: each.rejectedCount,
        file: each.file,
        byte_length: each.bytes,
        imported_at: each.importedAt,
      })),
    }),
  },
  'directory:drop': {
    description: 'Deletes a directory, once the searches in progress have ended.',
    usage: 'directory:drop --kind companies|people --name N',
    options: { kind: 'required', name: 'required' },
    run: async (database, options) => {
      const [kind, name] = [kindOf(options.kind), String(options.name)];
      if (await new DirectoryStore(database).dropDirectory(kind, name)) return { kind, name, dropped: true };
      throw new Error(`There is no directory of ${kind} named ${name}`);
    },
  },
  'directory:erase': {
    description: 'Erases a person from all directories, and from later imports.',
    usage: 'directory:erase (--linkedin-url U | --name N --company C)',
    options: { 'linkedin-url': 'optional', name: 'optional', company: 'optional' },
    run: async (database, options) => {
      const erased = await new ErasedPeople(database).erasePerson(personOf(options));
      const message =
        erased > 0
          ? `${erased} rows were erased.`
          : 'No row was erased: no directory has this person. Later imports leave the person out.';
      return { erased, left_out_of_imports: true, message };
    },
  },
};

async function orderOf(options: Options): Promise<ImportOrder & { guesses: MappingGuess[] }> {
  const kind = kindOf(options.kind);
  const path = String(options.file);
  const file = await openFile(path);
  const mappedBy = saidOf(options.map);
  const known = findMapping(kind, file.header, mappedBy);
  const guesses = await guessMapping(kind, file, known, mappedBy);
  const mapping = new Map([...known, ...guesses.map(({ field, column }) => [field, column] as const)]);
  const name = options.name === undefined ? nameOf(path) : String(options.name);
  return { kind, name, file, mapping, source: basename(path), guesses };
}

/** @returns a name derived from the file name: free-companies-2026 for "Free Companies 2026.csv" */
function nameOf(path: string): string {
  return foldText(basename(path, extname(path)))
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_MAX)
    .replace(/^-|-$/g, '');
}

async function openFile(path: string): Promise<DirectoryFile> {
  return JSON_LINES.has(extname(path).toLowerCase()) ? JsonLinesFile.open(path) : CsvSource.open(path);
}

function kindOf(value: Options[string]): DirectoryKind {
  const kind = DIRECTORY_KINDS.find((known) => known === value);
  if (!kind) throw new Error(`--kind must be one of ${DIRECTORY_KINDS.join(', ')}, not ${String(value)}`);
  return kind;
}

/** @returns fields by column heading; "column=" omits a column */
function saidOf(value: Options[string]): Map<string, string> {
  return new Map(
    (Array.isArray(value) ? value : []).map((entry) => {
      // A heading may contain "="; a field never does.
      const at = entry.lastIndexOf('=');
      if (at <= 0) throw new Error(`--map must be "<column>=<field>", not ${entry}`);
      return [entry.slice(0, at), entry.slice(at + 1)] as const;
    }),
  );
}

/** Asks the user at a terminal to confirm the guesses. @throws Error without a confirmation */
async function requireAccepted({ file }: ImportOrder, guesses: readonly MappingGuess[]): Promise<void> {
  if (process.stdin.isTTY && process.stderr.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await terminal.question('Are the guesses right? [y/N] ').finally(() => terminal.close());
    if (/^y(es)?$/i.test(answer.trim())) return;
  }
  const named = guesses.map(
    ({ field, column }) => `${file.header[column] || `column ${column + 1}`} -> ${field}`,
  );
  const whole = new Intl.ListFormat('en-GB').format(named);
  throw new Error(
    `Nothing was imported: ${whole} ${named.length === 1 ? 'is a guess' : 'are guesses'} from the values. Accept with --accept-guesses, or map the columns with --map "<column>=<field>" ("<column>=" leaves one out).`,
  );
}

function shownMapping({ kind, name, file, mapping }: ImportOrder, guesses: readonly MappingGuess[]): string {
  const columns = file.header.map((heading, at) => {
    const guess = guesses.find(({ column }) => column === at);
    const note = guess ? ` (a guess from its values: ${guess.values.map(shortenValue).join(', ')})` : '';
    return `  ${heading} -> ${fieldAt(mapping, at) ?? '(not used)'}${note}`;
  });
  return `Columns of the directory ${name} of ${kind}:\n${columns.join('\n')}\n`;
}

function shortenValue(value: string): string {
  return value.length <= SHOWN_CHARACTERS ? value : `${value.slice(0, SHOWN_CHARACTERS)}…`;
}

function fieldAt(mapping: ImportOrder['mapping'], column: number): string | null {
  return [...mapping].find(([, at]) => at === column)?.[0] ?? null;
}

function answerOf(
  { kind, name, file, mapping }: ImportOrder,
  report: ImportReport,
  { isDry, guesses }: { isDry: boolean; guesses: readonly MappingGuess[] },
) {
  return {
    kind,
    name,
    imported: !isDry,
    row_count: report.rowCount,
    rejected_count: report.rejectedCount,
    mapping: Object.fromEntries(file.header.map((heading, at) => [heading, fieldAt(mapping, at)])),
    guesses: guesses.map(({ field, column, values }) => ({ column: file.header[column], field, values })),
    rejected: report.rejected,
    not_in_vocabulary: report.unknown,
  };
}

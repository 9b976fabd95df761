import { basename, extname } from 'node:path';
import { foldText } from '@quarry/directory';
import {
  DIRECTORY_KINDS,
  DirectoryImporter,
  DirectoryStore,
  ErasedPeople,
  findMapping,
  JsonLinesFile,
  type DirectoryFile,
  type DirectoryKind,
  type FieldMapping,
  type ImportOrder,
  type ImportReport,
} from '@quarry/providers';
import { CsvSource } from '@quarry/tables';
import type { Command, Options } from './commands.js';
import { FileProgress } from './file-progress.js';
import { personOf } from './person-options.js';

const JSON_LINES = new Set(['.jsonl', '.ndjson', '.json']);
const NAME_MAX = 40;

/** Directories of companies and people that every organisation may search, from files that the operator has. */
export const DIRECTORY_COMMANDS: Readonly<Record<string, Command>> = {
  'directory:import': {
    says: 'Imports a CSV or JSON lines file of companies or people, which all organisations then search. One of the same name is replaced.',
    usage:
      'directory:import --kind companies|people --file F [--name N] [--map "<column>=<field>"]… [--dry-run]',
    options: { kind: 'required', file: 'required', name: 'optional', map: 'list', 'dry-run': 'switch' },
    run: async (database, options) => {
      const order = await orderOf(options);
      process.stderr.write(shownMapping(order));
      const progress = new FileProgress();
      const onProgress = (step: string, part: number): void => progress.report(step, part);
      const isDry = options['dry-run'] === true;
      const report = isDry
        ? await DirectoryImporter.judge(order, onProgress)
        : await new DirectoryImporter(database).import(order, onProgress);
      return answerOf(order, report, isDry);
    },
  },
  'directory:list': {
    says: 'Lists the directories that were imported.',
    usage: 'directory:list',
    options: {},
    run: async (database) => ({
      items: (await new DirectoryStore(database).summaries()).map((each) => ({
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
    says: 'Drops a directory; searches that run end first.',
    usage: 'directory:drop --kind companies|people --name N',
    options: { kind: 'required', name: 'required' },
    run: async (database, options) => {
      const [kind, name] = [kindOf(options.kind), String(options.name)];
      if (await new DirectoryStore(database).drop(kind, name)) return { kind, name, dropped: true };
      throw new Error(`There is no directory of ${kind} with this name: ${name}`);
    },
  },
  'directory:erase': {
    says: 'Erases a person from all directories, and from those that are imported later.',
    usage: 'directory:erase (--linkedin-url U | --name N --company C)',
    options: { 'linkedin-url': 'optional', name: 'optional', company: 'optional' },
    run: async (database, options) => {
      const erased = await new ErasedPeople(database).erase(personOf(options));
      return { erased, left_out_of_imports: true };
    },
  },
};

async function orderOf(options: Options): Promise<ImportOrder> {
  const kind = kindOf(options.kind);
  const path = String(options.file);
  const file = await openFile(path);
  const mapping = await findMapping(kind, file, saidOf(options.map));
  const name = options.name === undefined ? nameOf(path) : String(options.name);
  return { kind, name, file, mapping, source: basename(path) };
}

/** @returns a name made of the file's own: "Free Companies 2026.csv" is free-companies-2026 */
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
  if (!kind) throw new Error(`--kind is one of ${DIRECTORY_KINDS.join(', ')}: ${String(value)}`);
  return kind;
}

/** @returns fields by the heading of their column; "column=" leaves a column out */
function saidOf(value: Options[string]): Map<string, string> {
  return new Map(
    (Array.isArray(value) ? value : []).map((entry) => {
      // A heading may have a "=" of its own; a field never has.
      const at = entry.lastIndexOf('=');
      if (at <= 0) throw new Error(`--map is "<column>=<field>", not ${entry}`);
      return [entry.slice(0, at), entry.slice(at + 1)] as const;
    }),
  );
}

function shownMapping({ kind, name, file, mapping }: ImportOrder): string {
  const columns = file.header.map((heading, at) => `  ${heading} -> ${fieldAt(mapping, at) ?? '(not used)'}`);
  return `The directory ${name} of ${kind} is read so:\n${columns.join('\n')}\n`;
}

function fieldAt(mapping: FieldMapping, column: number): string | null {
  return [...mapping].find(([, at]) => at === column)?.[0] ?? null;
}

function answerOf({ kind, name, file, mapping }: ImportOrder, report: ImportReport, isDry: boolean) {
  return {
    kind,
    name,
    imported: !isDry,
    row_count: report.rowCount,
    rejected_count: report.rejectedCount,
    mapping: Object.fromEntries(file.header.map((heading, at) => [heading, fieldAt(mapping, at)])),
    rejected: report.rejected,
    not_in_vocabulary: report.unknown,
  };
}

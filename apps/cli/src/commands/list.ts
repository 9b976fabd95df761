import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { once } from 'node:events';
import { ApiError, type BatchResult, type InputOf, type JobLine, type SlowService } from '@quarry/sdk';
import { forgetBatches, mayPass, recordBatches } from '../accepted-batches.js';
import { numberDuplicates, openCsvFile, type CsvFile } from '../csv-file.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { checkWritable } from '../files.js';
import { BYTE_ORDER_MARK, csvLine, Output } from '../output.js';
import { formatCount, textOf } from '../screen.js';
import type { Session } from '../session.js';
import { numberOf } from './run.js';
import type { QuarryCommand } from '../quarry-command.js';

/** Services that `quarry list` runs. */
export const SLOW_SERVICES: Readonly<Record<SlowService, true>> = {
  getEmail: true,
  getPhoneNumber: true,
  webResearch: true,
  getLinkedInUserComments: true,
  getLinkedInUserReactions: true,
};
/** Common headings of inputs, in addition to their own names. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  first_name: ['first', 'given name', 'forename', 'vorname', 'prénom'],
  last_name: ['last', 'surname', 'family name', 'nachname', 'nom'],
  domain: [
    'website',
    'website url',
    'company domain',
    'company domain name',
    'company website',
    'web',
    'url',
  ],
  company: [
    'company name',
    'organization',
    'organisation',
    'account',
    'employer',
    'firma',
    'unternehmen',
    'société',
    'entreprise',
  ],
  linkedin_url: ['linkedin', 'linkedin profile', 'profile', 'profile url', 'person linkedin url'],
  question: ['prompt', 'research question'],
};
/**
 * Rows in a price estimate: all of a shorter file, otherwise a sample spread over the file, because the first rows may have
 * answers already.
 */
const ESTIMATED_ROWS = 1_000;
const ESTIMATED_AT_ONCE = 100;

interface ListOptions {
  map?: Record<string, string>;
  deep?: boolean;
  fresh?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  key?: string;
  limit?: string;
  resume?: boolean;
}

interface Mapping {
  service: SlowService;
  /** Column index of each input. */
  columns: Readonly<Record<string, number>>;
  isDeep: boolean;
}

/** Adds the command that looks up every row of a file. */
export function addListCommand(program: QuarryCommand): void {
  program
    .command('list')
    .description(
      'Runs a slow service over a CSV file. Run the same command again to resume it; nothing is paid twice.',
    )
    .argument('<service>', Object.keys(SLOW_SERVICES).join(', '))
    .argument('<file>', 'CSV file with a header; answers go to FILE.SERVICE.csv, or to -o')
    .option(
      '--map <input=header>',
      'column of an input, such as first_name="First Name"; repeatable',
      collectMap,
    )
    .option('--deep', 'use the Deep agent, at a higher price (getEmail, getPhoneNumber)')
    .option('--fresh', 'search again even where there is a recent answer')
    .option('--limit <n>', 'maximum number of rows (default: all)')
    .option('--key <key>', 'key of the list, to resume it (default: derived from file, mapping and options)')
    .option('--resume', 'resume the same command (default)')
    .option('--no-resume', 'start again, and pay again where no recent answer is reused')
    .option('--dry-run', 'show the mapping and the price only')
    .option('-y, --yes', 'accept the price without asking')
    .withSession(async (session, service: string, path: string, options: ListOptions) => {
      if (!Object.hasOwn(SLOW_SERVICES, service))
        throw new UsageError(
          `${service} is not a slow service; use one of ${Object.keys(SLOW_SERVICES).join(', ')}.`,
        );
      const target = targetOf(session, path, service);
      const file = await openCsvFile(path);
      checkWritable(target);
      const mapping = await mappingOf(session, service as SlowService, file, options);
      await confirmEstimate(session, file, mapping, options);
      if (!options.dryRun) await runList(session, { path, target }, file, mapping, options);
    });
}

function collectMap(text: string, map: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--map must be input=header, not ${text}.`);
  return { ...map, [text.slice(0, at)]: text.slice(at + 1) };
}

/** Finds the columns of inputs: by options, or by their headings. @throws UsageError */
async function mappingOf(
  session: Session,
  service: SlowService,
  { header }: CsvFile,
  { map = {}, deep }: ListOptions,
): Promise<Mapping> {
  const { input_schema: schema } = await session.quarry.services.get(service);
  const inputs = Object.keys((schema.properties ?? {}) as object);
  const columns: Record<string, number> = {};
  for (const [input, name] of Object.entries(map)) {
    if (!inputs.includes(input))
      throw new UsageError(`${service} has no input ${input}; it has ${inputs.join(', ')}.`);
    columns[input] = header.indexOf(name);
    if (columns[input] < 0)
      throw new UsageError(`There is no column “${name}”; the columns are ${header.join(', ')}.`);
  }
  for (const input of inputs.filter((each) => !(each in columns))) {
    const at = columnOf(input, header);
    if (at !== undefined && !Object.values(columns).includes(at)) columns[input] = at;
  }
  if (Object.keys(columns).length === 0)
    throw new UsageError(
      `No column matches an input of ${service} (${inputs.join(', ')}). Map one with --map.`,
    );
  for (const [input, at] of Object.entries(columns)) session.say(`  ${input} ← ${header[at]}`);
  return { service, columns, isDeep: deep === true };
}

/** Returns the index of an input's column by its heading, of which a part may match: “First Name (Vorname)”. */
export function columnOf(input: string, header: readonly string[]): number | undefined {
  const names = [input, ...(SYNONYMS[input] ?? [])].map(foldHeading);
  const whole = header.map((each) => [foldHeading(each)]);
  const parts = header.map((each) => each.split(/[()/|]/).map(foldHeading));
  return [whole, parts]
    .flatMap((headings) => names.map((name) => headings.findIndex((each) => each.includes(name))))
    .find((place) => place >= 0);
}

function foldHeading(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function inputOf({ columns, isDeep }: Mapping, record: readonly string[]): Record<string, unknown> {
  const cells = Object.entries(columns).map(([input, at]) => [input, record[at]?.trim() ?? ''] as const);
  const input = Object.fromEntries(cells.filter(([, cell]) => cell !== ''));
  return isDeep ? { ...input, deep: true } : input;
}

/** Shows the price estimate, and asks for confirmation. */
async function confirmEstimate(
  session: Session,
  file: CsvFile,
  mapping: Mapping,
  options: ListOptions,
): Promise<void> {
  const limit = limitOf(options);
  const count = await countRows(file, limit);
  if (count === 0) throw new UsageError('The file has no rows.');
  const sample = await sampleOf(file, mapping, count);
  const { min, max, rejected } = await estimateOf(session, mapping, sample, options.fresh === true);
  const { remaining } = await session.quarry.credits.get();
  const isWhole = sample.length === count;
  const round = (credits: number): number => Math.round(((credits * count) / sample.length) * 10) / 10;
  const price = `${isWhole ? '' : 'about '}${round(min)} to ${formatCount(round(max), 'credit')}`;
  session.say(`  ${formatCount(count, 'row')}, ${price}`);
  if (rejected > 0)
    session.say(
      `! ${rejected} of ${sample.length} rows${isWhole ? '' : ' from the whole file'} have too little to search with; use --map to set the columns of inputs`,
    );
  if (round(max) > remaining)
    session.say(`! ${formatCount(remaining, 'credit')} remain: rows beyond that will fail`);
  if (options.dryRun)
    return session.writeDocument({ rows: count, credits_min: round(min), credits_max: round(max) });
  if (!options.yes && !(await session.confirm('Run it?', '--yes')))
    throw new UsageError('Nothing was run.', EXIT.interrupted);
}

/** @throws UsageError when --limit is not a whole number above 0 */
function limitOf({ limit }: ListOptions): number {
  if (limit === undefined) return Infinity;
  const number = numberOf(limit, '--limit');
  if (!Number.isInteger(number) || number === 0)
    throw new UsageError(`--limit must be a whole number above 0, not ${limit}.`);
  return number;
}

/**
 * @throws UsageError for a row with more cells than the header: its values may belong to other columns, and every lookup is
 * charged
 */
export async function countRows(file: CsvFile, limit: number): Promise<number> {
  const width = file.header.length;
  let count = 0;
  for await (const record of file.records()) {
    count += 1;
    if (record.slice(width).some((cell) => cell.trim() !== ''))
      throw new UsageError(
        `Row ${count} below the header has ${record.length} cells, but the header has ${width}: quote cells that contain a separator.`,
      );
    if (count >= limit) break;
  }
  return count;
}

/** Returns the inputs of a sample of rows, spread evenly. */
async function sampleOf(
  file: CsvFile,
  mapping: Mapping,
  count: number,
): Promise<Array<Record<string, unknown>>> {
  const sample: Array<Record<string, unknown>> = [];
  const wanted = Math.min(count, ESTIMATED_ROWS);
  let at = 0;
  for await (const record of file.records()) {
    if (at >= count) break;
    if (at * wanted >= sample.length * count) sample.push(inputOf(mapping, record));
    at += 1;
  }
  return sample;
}

async function estimateOf(
  { quarry }: Session,
  { service }: Mapping,
  sample: ReadonlyArray<Record<string, unknown>>,
  isFresh: boolean,
): Promise<{ min: number; max: number; rejected: number }> {
  const sum = { min: 0, max: 0, rejected: 0 };
  for (let at = 0; at < sample.length; at += ESTIMATED_AT_ONCE) {
    const inputs = sample.slice(at, at + ESTIMATED_AT_ONCE);
    const {
      min,
      max,
      rejected_lines: rejected,
    } = await quarry.credits.estimate({ service, inputs }, { isFresh });
    sum.min += min;
    sum.max += max;
    sum.rejected += rejected;
  }
  return sum;
}

/** Returns the path of the answers. @throws UsageError when it is no CSV file, or is the input file */
function targetOf(session: Session, path: string, service: string): string {
  const target = session.options.output ?? path.replace(/(\.\w+)?$/, `.${service}.csv`);
  if (!target.endsWith('.csv')) throw new UsageError('--output of a list must end with .csv.');
  // The input file identifies the list: overwriting it would start another list, and charge again.
  if (resolve(target) === resolve(path))
    throw new UsageError(`--output must not be the input file ${target}.`);
  return target;
}

/** Progress of a list, and the reason for an early end. */
interface ListProgress {
  completed: number;
  failed: number;
  /** Lines with temporary failures. */
  passing: number;
  failure: Error | null;
}

const GO_ON = 'Run the same command again to resume; nothing is paid twice.';

async function runList(
  session: Session,
  { path, target }: { path: string; target: string },
  file: CsvFile,
  mapping: Mapping,
  options: ListOptions,
): Promise<void> {
  const { output_schema: schema } = await session.quarry.services.get(mapping.service);
  const fields = Object.keys(schema.properties ?? {}).filter((field) => !['found', 'status'].includes(field));
  const isAnew = options.resume === false;
  const key = options.key ?? (isAnew ? randomUUID() : await keyOf(path, mapping, options));
  const recordPath = `${target}.batches.json`;
  const part = new AnswersFile(target);
  session.watchInterrupt(() => `No new rows are started; waiting for the accepted ones. ${GO_ON}`);
  // The file may have its own column “email” or “status”.
  const header = numberDuplicates([...file.header, ...fields, 'status', 'error_code']);
  await part.write((session.options.excel ? BYTE_ORDER_MARK : '') + csvLine(header));

  const batches = recordBatches(session.quarry.batches, recordPath);
  const progress: ListProgress = { completed: 0, failed: 0, passing: 0, failure: null };
  session.showProgress('0 rows …', 'rows');
  try {
    for await (const { record, line } of answeredRows(session, file, mapping, { batches, key, options })) {
      progress[line.status === 'completed' ? 'completed' : 'failed'] += 1;
      if (mayPass(line)) progress.passing += 1;
      await part.write(csvLine(cellsOf(file.header, record, line, fields)));
      session.showProgress(`${formatCount(progress.completed + progress.failed, 'row')} …`, 'rows');
    }
  } catch (error) {
    progress.failure = error as Error;
  }
  await part.end().catch((error: Error) => (progress.failure ??= error));
  const isWhole = progress.failure === null && !session.signal.aborted;
  if (isWhole) await part.publish();
  if (isWhole && progress.passing === 0) forgetBatches(recordPath);
  await reportList(session, progress, isWhole ? target : part.path);
  endList(session, progress, options.key);
}

/** A file of answers beside its target, which it replaces when it is complete. */
class AnswersFile {
  readonly path: string;
  private readonly stream: WriteStream;

  constructor(private readonly target: string) {
    this.path = `${target}.part`;
    this.stream = createWriteStream(this.path);
    // Such as a full disk: writing the next row fails, and accepted batches are kept for the next time.
    this.stream.on('error', () => undefined);
  }

  async write(text: string): Promise<void> {
    if (this.stream.errored) throw this.stream.errored;
    if (!this.stream.write(text)) await once(this.stream, 'drain');
  }

  async end(): Promise<void> {
    this.stream.end();
    await finished(this.stream);
  }

  publish(): Promise<void> {
    return rename(this.path, this.target);
  }
}

/** Yields the rows of a file in order, each with its line, until all are answered or no more may begin. */
async function* answeredRows(
  { signal }: Session,
  file: CsvFile,
  mapping: Mapping,
  { batches, key, options }: { batches: ReturnType<typeof recordBatches>; key: string; options: ListOptions },
): AsyncGenerator<{ record: readonly string[]; line: JobLine }> {
  const records: string[][] = [];
  const limit = limitOf(options);
  const inputs = async function* (): AsyncGenerator<InputOf<SlowService>> {
    let count = 0;
    for await (const record of file.records()) {
      if (count >= limit || signal.aborted) return;
      count += 1;
      records.push(record);
      yield inputOf(mapping, record) as InputOf<SlowService>;
    }
  };
  const running = batches.run(mapping.service, inputs(), { key, isFresh: options.fresh === true });
  for await (const { line } of running as AsyncGenerator<BatchResult<SlowService>>)
    yield { record: records.shift()!, line };
}

/** Prints the progress of a list, the path of its answers, and whether the same command continues it. */
async function reportList(session: Session, progress: ListProgress, path: string): Promise<void> {
  const { completed, failed, passing, failure } = progress;
  const isWhole = failure === null && !session.signal.aborted;
  const isRefused = failure instanceof ApiError && failure.status !== 402 && !failure.isRetryable;
  const place = isWhole || isRefused ? path : `${path}. ${GO_ON}`;
  session.say(`${formatCount(completed, 'row')} done, ${failed} failed: ${place}`);
  if (isWhole && passing > 0)
    session.say(`Run the same command again to retry ${passing} of them, which failed temporarily.`);
  if (session.options.json) await new Output({ json: true }).writeDocument({ completed, failed, file: path });
}

/** Sets the exit code of a list. @throws the error that has ended the list, except used-up credits after some rows */
function endList(
  session: Session,
  { completed, failed, failure }: ListProgress,
  key: string | undefined,
): void {
  const isOfApi = failure instanceof ApiError;
  if (key !== undefined && isOfApi && failure.code === 'idempotency_conflict')
    throw new UsageError(
      `--key ${key} was already used for another list in the last 24 hours.`,
      EXIT.conflict,
    );
  if (failure !== null && !(isOfApi && failure.status === 402 && completed > 0)) throw failure;
  if (failure !== null) session.say(failure.message);
  if (session.signal.aborted) process.exitCode = EXIT.interrupted;
  else if (failure !== null || failed > 0) process.exitCode = EXIT.partly;
}

/** The same file with the same mapping and options is the same list; a trial with a few rows is another. */
async function keyOf(path: string, mapping: Mapping, { limit, fresh }: ListOptions): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify({ ...mapping, limit, fresh }));
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  return `quarry-list-${hash.digest('hex').slice(0, 32)}`;
}

function statusOf(line: JobLine): string {
  if (line.status !== 'completed') return line.status;
  const { found, status } = (line.result ?? {}) as { found?: boolean; status?: string | null };
  return status ?? (found === false ? 'not_found' : 'found');
}

/** Returns the cells of a row of the file, followed by its answer. */
function cellsOf(
  header: readonly string[],
  record: readonly string[],
  line: JobLine,
  fields: readonly string[],
): string[] {
  const result: Readonly<Record<string, unknown>> = line.status === 'completed' ? (line.result ?? {}) : {};
  return [
    ...header.map((_, at) => record[at] ?? ''),
    ...fields.map((field) => textOf(result[field])),
    statusOf(line),
    line.status === 'failed' ? line.error.code : '',
  ];
}

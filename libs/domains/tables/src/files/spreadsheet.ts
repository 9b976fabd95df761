import { KeyedSemaphore, THREAD_FLAGS } from '@quarry/resilience';
import { AppError } from '@quarry/error-codes';
import { Piscina } from 'piscina';

/** Workbooks read at once: two would not fit into the memory of a container (k8s/base/tables.yaml). */
const THREADS_MAX = 1;
/** The largest workbook allowed, 100,000 rows of 24 columns, takes some six seconds. */
const READ_MS = 20_000;
/** Milliseconds that a workbook waits for its turn. */
const WAIT_MS = 30_000;
const THREAD_IDLE_MS = 30_000;
/** Megabytes of a thread's heap. The largest workbook needs 224 beside its unpacked parts. */
const MEMORY_MB = 256;

/** Beginning of a zip archive, and so of every XLSX file. Source: APPNOTE.TXT of PKWARE, 4.3.7 */
const ZIP = Buffer.from('PK\u0003\u0004');
/** Beginning of the files of Excel 97 to 2003, and of workbooks with a password. Source: [MS-CFB], 2.2 */
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

const places = new KeyedSemaphore({ size: THREADS_MAX });
let threads: Piscina | null = null;

/** Returns whether a file begins like an XLSX workbook, or like a workbook of a kind that is not supported. */
export function isSpreadsheet(beginning: Buffer): boolean {
  return [ZIP, COMPOUND_FILE].some((mark) => beginning.subarray(0, mark.length).equals(mark));
}

/**
 * Reads the first sheet of a workbook in a thread with limited memory and time, because a small file can contain a lot.
 * @param orgId its organisation; organisations take turns
 * @param readMs milliseconds allowed for reading
 * @returns the sheet as a CSV file
 * @throws AppError invalid_request when it cannot be read; rate_limited when it had to wait too long
 */
export async function csvOfSpreadsheet(bytes: Buffer, orgId: string, readMs = READ_MS): Promise<Buffer> {
  if (!bytes.subarray(0, ZIP.length).equals(ZIP))
    throw refusalOf('It is an old workbook, or one with a password: save it as XLSX without one, or as CSV.');
  // Threads end when they are idle, and keep no process alive.
  threads ??= new Piscina({
    // The source file itself when the product runs from source.
    filename: new URL(
      `./spreadsheet.worker.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`,
      import.meta.url,
    ).href,
    minThreads: 0,
    maxThreads: THREADS_MAX,
    idleTimeout: THREAD_IDLE_MS,
    execArgv: [...THREAD_FLAGS],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: 16 },
  });
  const leave = await places.enter(orgId, AbortSignal.timeout(WAIT_MS)).catch(() => {
    throw busyError();
  });
  try {
    const csv = (await threads.run(bytes, { signal: AbortSignal.timeout(readMs) })) as ArrayBuffer | null;
    if (csv) return Buffer.from(csv);
  } catch (error) {
    throw refusalOf(reasonOf(error), error);
  } finally {
    leave();
  }
  throw refusalOf(TOO_LARGE);
}

const TOO_LARGE = 'It is too large: save the sheet as CSV.';

function reasonOf(error: unknown): string {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? TOO_LARGE
    : 'It is not a workbook, or it is damaged.';
}

function busyError(): AppError {
  return new AppError('rate_limited', 'Other workbooks are being read. Try again in a moment.', {
    headers: { 'Retry-After': '5' },
  });
}

function refusalOf(reason: string, cause?: unknown): AppError {
  return new AppError('invalid_request', `The file cannot be read as XLSX. ${reason}`, { cause });
}

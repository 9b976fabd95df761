import type { Batch } from '../api/resources';

/** A table in the form of an import. */
export interface AnswersTable {
  readonly columns: ReadonlyArray<{ readonly key: string; readonly name: string }>;
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

type Facts = Readonly<Record<string, unknown>>;

/** Column for the outcome of each line. Answers may have a field called status, too. */
const STATUS = { key: 'job_status', name: 'Job status' };

/**
 * Converts the answers of a batch to rows, one for each job in the order of its inputs.
 * @param inputs the inputs, if this browser knows them
 * @returns columns of inputs, columns of answers, and the status. An answer's field with the name of an input shares its column,
 * unless their values differ in any row
 */
export function answersTable(batch: Pick<Batch, 'jobs'>, inputs: readonly Facts[] | null): AnswersTable {
  const lines = batch.jobs.map((job) => ({
    input: inputs?.[job.input_index] ?? {},
    result: (job.result ?? {}) as Facts,
    status: job.status,
  }));
  const inputKeys = keysOf(lines.map(({ input }) => input));
  const resultKeys = keysOf(lines.map(({ result }) => result));
  const differs = (key: string) =>
    lines.some(({ input, result }) => isGiven(result[key]) && input[key] !== result[key]);
  const keyOf = (key: string) => (inputKeys.includes(key) && differs(key) ? `answer_${key}` : key);
  const answered = (result: Facts) =>
    Object.fromEntries(
      Object.entries(result).flatMap(([key, value]) => (isGiven(value) ? [[keyOf(key), value]] : [])),
    );
  const keys = new Set([...inputKeys, ...resultKeys.map(keyOf)]);
  return {
    columns: [...[...keys].map((key) => ({ key, name: nameOf(key) })), STATUS],
    rows: lines.map(({ input, result, status }) => ({ ...input, ...answered(result), [STATUS.key]: status })),
  };
}

function keysOf(records: readonly Facts[]): string[] {
  return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

function isGiven(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function nameOf(key: string): string {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

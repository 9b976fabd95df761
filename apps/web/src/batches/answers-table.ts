import type { Batch } from '../api/resources';

/** A table as the API imports it. */
export interface AnswersTable {
  readonly columns: ReadonlyArray<{ readonly key: string; readonly name: string }>;
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

type Facts = Readonly<Record<string, unknown>>;

/** Says of each line how its job has ended; fields of answers may be called status, too. */
const STATUS = { key: 'job_status', name: 'Job status' };

/**
 * Puts the answers of a batch into rows, one for each job in the order of its inputs.
 * @param inputs what was sent, where this browser knows it
 * @returns the columns of inputs, those of answers, and the status. A field of an answer that has the name of an input is that
 *   column's, unless the two differ anywhere: then it has a column of its own
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

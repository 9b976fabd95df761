import type { QuarryEvent } from './events.js';
import { defineResource, type FollowOptions, type FreshOptions, type WaitOptions } from './resource.js';
import { RESOURCES } from './resources.gen.js';
import type { CallOptions } from './transport.js';
import type {
  Batch as BatchAnswer,
  CompletedJobLine,
  CreateBatchData,
  GetEmailOutput,
  GetLinkedInUserCommentsOutput,
  GetLinkedInUserReactionsOutput,
  GetPhoneNumberOutput,
  FailedJobLine,
  OpenJobLine,
  WebResearchOutput,
} from './types.gen.js';

/** Maximum number of inputs per batch. Source: contract, “Slow services”. */
const BATCH_SIZE = 100;
const BATCHES_AT_ONCE = 4;

/** Output of each slow service. */
export interface SlowServices {
  getEmail: GetEmailOutput;
  getPhoneNumber: GetPhoneNumberOutput;
  webResearch: WebResearchOutput;
  getLinkedInUserComments: GetLinkedInUserCommentsOutput;
  getLinkedInUserReactions: GetLinkedInUserReactionsOutput;
}
export type SlowService = keyof SlowServices;

type BatchRequest = CreateBatchData['body'];
/** Input of a slow service. */
export type InputOf<Service extends SlowService> = Extract<
  BatchRequest,
  { service: Service }
>['inputs'][number];

/**
 * Job of a batch: `result` is set when it is completed, and null when it is no longer stored; `error` is set when it has
 * failed.
 */
export type JobLine<Service extends SlowService = SlowService> =
  OpenJobLine | FailedJobLine | (Omit<CompletedJobLine, 'result'> & { result: SlowServices[Service] | null });

export type Batch<Service extends SlowService = SlowService> = Omit<BatchAnswer, 'jobs'> & {
  jobs: Array<JobLine<Service>>;
};

export interface RunBatchesOptions extends FreshOptions {
  /**
   * Key of the whole list. The same list with the same key within 24 hours is resumed: batches that were already accepted are
   * not paid again.
   */
  key?: string;
  /** Number of concurrent batches; default 4. */
  batchesAtOnce?: number;
}

/** Result of one input of {@link Batches.run}. */
export interface BatchResult<Service extends SlowService> {
  /** Index of the input, from 0. */
  index: number;
  input: InputOf<Service>;
  line: JobLine<Service>;
}

interface BatchMethods {
  get(id: string, options?: WaitOptions): Promise<Batch>;

  /** Resolves with the batch when all of its jobs have ended. */
  wait(id: string, options?: CallOptions): Promise<Batch>;

  /** Streams the events of a batch until its end, with reconnects. */
  followEvents(id: string, options?: FollowOptions): AsyncGenerator<QuarryEvent>;

  cancel(id: string, options?: CallOptions): Promise<Batch>;
}

const BATCHES = '/v1/services/jobs/batch';

/** Slow services for lists of inputs. */
export class Batches extends defineResource<BatchMethods>(RESOURCES.batches) {
  /** Creates a batch of up to 100 inputs; a single invalid input rejects all of them. */
  create<Service extends SlowService>(
    service: Service,
    inputs: ReadonlyArray<InputOf<Service>>,
    options?: FreshOptions,
  ): Promise<Batch<Service>> {
    return this.calls.make(BATCHES, { service, inputs }, options);
  }

  /**
   * Runs a slow service for a list of any length: in batches of 100, four at once; a further one is created when previous
   * results have been consumed.
   * @returns the results in input order
   * @throws the error that rejected a batch, such as ApiError 402, after the results of all accepted batches
   * @example
   * for await (const { input, line } of quarry.batches.run('getEmail', people, { key: 'leads-7' }))
   *   if (line.status === 'completed') console.log(input, line.result?.email);
   */
  async *run<Service extends SlowService>(
    service: Service,
    inputs: Iterable<InputOf<Service>> | AsyncIterable<InputOf<Service>>,
    { key = crypto.randomUUID(), batchesAtOnce = BATCHES_AT_ONCE, ...options }: RunBatchesOptions = {},
  ): AsyncGenerator<BatchResult<Service>> {
    const started: Array<Promise<Array<BatchResult<Service>>>> = [];
    const failures: unknown[] = [];
    let index = 0;
    let chunk: Array<InputOf<Service>> = [];
    const start = (): void => {
      const idempotencyKey = `${key}-${Math.ceil(index / BATCH_SIZE)}`;
      const work = this.runChunk(service, chunk, index - chunk.length, { ...options, idempotencyKey });
      started.push(work.catch((error: unknown) => (failures.push(error), [])));
      chunk = [];
    };
    for await (const input of inputs) {
      index += 1;
      if (chunk.push(input) < BATCH_SIZE) continue;
      start();
      if (started.length < batchesAtOnce) continue;
      yield* await started.shift()!;
      if (failures.length > 0) break;
    }
    if (chunk.length > 0 && failures.length === 0) start();
    for (const work of started) yield* await work;
    if (failures.length > 0) throw failures[0];
  }

  private async runChunk<Service extends SlowService>(
    service: Service,
    inputs: ReadonlyArray<InputOf<Service>>,
    first: number,
    options: FreshOptions,
  ): Promise<Array<BatchResult<Service>>> {
    const { batch_id: id } = await this.create(service, inputs, options);
    const { jobs } = await this.wait(id, options);
    return jobs
      .sort((a, b) => a.input_index - b.input_index)
      .map((line, at) => ({ index: first + at, input: inputs[at]!, line: line as JobLine<Service> }));
  }
}

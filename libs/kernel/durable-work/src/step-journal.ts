import type { Ctx } from '@quarry/app';
import type { Database, Statement } from '@quarry/postgres';
import { LeaseLostError } from './work-errors.js';

/** Work id, token of its lease, step name, and input or result as JSON. */
type StepKey = readonly [string | null, string | null, string | null, string | null];

/** Statements over the steps of one kind of work, typed from the schema. */
export interface StepStatements {
  find: Statement<
    readonly [work: string | null, name: string | null],
    { input: unknown; result: unknown; finished: boolean }
  >;
  /** Writes and returns nothing when the lease is lost. */
  begin: Statement<StepKey>;
  finish: Statement<StepKey>;
}

/**
 * The steps of one piece of work. The input of a step (ids included) is written before it starts, its result before the next one
 * starts. A replay skips finished steps and repeats an unfinished one with its original input, so that its writes and charges are
 * idempotent.
 */
export class StepJournal {
  /** Steps may run concurrently; they start one after the other, so that each gets its own position. */
  private beginning: Promise<unknown> = Promise.resolve();

  /** @param inStep wraps the work of a step, for example in a span */
  constructor(
    private readonly database: Database,
    private readonly statements: StepStatements,
    private readonly work: { ctx: Ctx; id: string; token: string },
    private readonly inStep: <T>(name: string, work: () => Promise<T>) => Promise<T> = (_, work) => work(),
  ) {}

  /**
   * Runs a step, or returns the stored result of a finished one.
   * @param name unique within the work, the same at each replay
   * @param prepare creates the step's input the first time
   * @throws LeaseLostError when the work belongs to another process
   */
  async runStep<Input, Result>(
    name: string,
    prepare: () => Input | Promise<Input>,
    work: (input: Input) => Promise<Result>,
  ): Promise<Result> {
    const known = await this.findStep(name);
    if (known?.finished) return known.result as Result;
    const input = known ? (known.input as Input) : await this.beginStep(name, await prepare());
    const result = await this.inStep(name, () => work(input));
    await this.writeStep(this.statements.finish, name, result ?? null);
    return result;
  }

  /** @returns the result of a step; null when it has not finished */
  async resultOf<Result>(name: string): Promise<Result | null> {
    const known = await this.findStep(name);
    return known?.finished ? (known.result as Result) : null;
  }

  private findStep(name: string): Promise<{ input: unknown; result: unknown; finished: boolean } | null> {
    return this.database.queryOne(this.work.ctx, this.statements.find, [this.work.id, name], 'read');
  }

  private async beginStep<Input>(name: string, input: Input): Promise<Input> {
    const begun = this.beginning.then(() => this.writeStep(this.statements.begin, name, input));
    this.beginning = begun.catch(() => undefined);
    await begun;
    return input;
  }

  private async writeStep(
    statement: StepStatements['begin' | 'finish'],
    name: string,
    value: unknown,
  ): Promise<void> {
    const { ctx, id, token } = this.work;
    const rows = await this.database.query(ctx, statement, [id, token, name, JSON.stringify(value)]);
    if (rows.length === 0) throw new LeaseLostError('The work belongs to another process.');
  }
}

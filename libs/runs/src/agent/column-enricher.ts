import { Injectable } from '@nestjs/common';
import type { CellJson } from '@quarry/dto';
import { newId } from '@quarry/platform';
import type { LookupService, PlanColumn } from '@quarry/plan';
import { PaidLinesPort, type PaidLine } from '../ports/paid-lines.port.js';
import { TableWriterPort } from '../ports/table-writer.port.js';
import type { RunGuard } from './run-guard.js';
import type { LeasedRun } from './run-lease.store.js';
import type { StepJournal } from './step-journal.js';

/** Whom a contact lookup is about. */
export interface Subject {
  first_name?: string;
  last_name?: string;
  company?: string;
  domain?: string;
  linkedin_url?: string;
}

export interface EnrichRequest {
  /** Begins the names of its steps. */
  name: string;
  tableId: string;
  column: PlanColumn;
  subjects: ReadonlyArray<{ id: string; subject: Subject | null }>;
}

export interface EnrichmentOutcome {
  summary: string;
}

interface ChunkResult {
  filled: number;
  empty: number;
  failed: number;
  /** The balance, or a spend cap, did not cover even one line. */
  isSpent: boolean;
}

// The largest list that the batch endpoint takes.
const LINES_PER_BATCH = 100;
const WAIT_MS = 1000;

/** Which field of a service's result fills a column. */
const RESULT_FIELD: Readonly<Record<LookupService, string>> = {
  getEmail: 'email',
  getPhoneNumber: 'phone_number',
};

/** Fills a column through paid lines, a hundred at a time. A spent budget leaves the rest of the column unfilled. */
@Injectable()
export class ColumnEnricher {
  constructor(
    private readonly lines: PaidLinesPort,
    private readonly tables: TableWriterPort,
  ) {}

  async enrich(
    run: LeasedRun,
    journal: StepJournal,
    guard: RunGuard,
    request: EnrichRequest,
  ): Promise<EnrichmentOutcome> {
    const { source } = request.column;
    if (source.from !== 'service')
      throw new Error(`Column ${request.column.key} is not filled by a service.`);
    const sum: ChunkResult = { filled: 0, empty: 0, failed: 0, isSpent: false };
    const subjects = request.subjects.filter(({ subject }) => subject !== null);
    for (let i = 0; i < subjects.length && !sum.isSpent; i += LINES_PER_BATCH) {
      await guard.checkpoint();
      const chunk = subjects.slice(i, i + LINES_PER_BATCH);
      const result = await journal.step(
        `${request.name}.${i / LINES_PER_BATCH}`,
        () => ({ batchId: newId('svcbatch') }),
        ({ batchId }) => this.chunk(run, guard, request, source.service, batchId, chunk),
      );
      sum.filled += result.filled;
      sum.empty += result.empty;
      sum.failed += result.failed;
      sum.isSpent = result.isSpent;
    }
    return { summary: summaryOf(request, sum, subjects.length) };
  }

  private async chunk(
    run: LeasedRun,
    guard: RunGuard,
    request: EnrichRequest,
    service: LookupService,
    batchId: string,
    chunk: EnrichRequest['subjects'],
  ): Promise<ChunkResult> {
    const inputs = chunk.map(({ subject }) => ({ ...subject }));
    const outcome = await this.lines.submit(run.ctx, { batchId, service, inputs, runId: run.id });
    if (outcome.kind === 'insufficient') return { filled: 0, empty: 0, failed: 0, isSpent: true };
    let ends: PaidLine[] | null = null;
    while (!ends) {
      ends = await this.lines.ended(run.ctx, batchId, WAIT_MS);
      if (!ends) await guard.checkpoint();
    }
    const cells = ends.map((end) => cellOf(service, end));
    const key = request.column.key;
    await this.tables.updateRows(
      run.ctx,
      request.tableId,
      chunk.map(({ id }, i) => ({
        id,
        values: { [key]: cells[i]!.value },
        cells: { [key]: cells[i]!.cell },
      })),
    );
    const count = (status: CellJson['status']) => cells.filter(({ cell }) => cell.status === status).length;
    const isSpent = ends.some((end) => end.state === 'failed' && end.error.code === 'usage_limit');
    return { filled: count('filled'), empty: count('empty'), failed: count('failed'), isSpent };
  }
}

function cellOf(service: LookupService, end: PaidLine): { value: unknown; cell: CellJson } {
  const base = { reasoning: null, citations: [], updated_at: new Date().toISOString() };
  if (end.state !== 'completed') {
    const error =
      end.state === 'failed' ? end.error : { code: 'cancelled', message: 'The lookup was cancelled.' };
    return {
      value: null,
      cell: {
        ...base,
        status: 'failed',
        confidence: null,
        source: { service, provider: '', job_id: end.jobId },
        error,
      },
    };
  }
  const value = end.result[RESULT_FIELD[service]] ?? null;
  const provider = typeof end.result.provider === 'string' ? end.result.provider : '';
  const confidence = (end.result.confidence ?? null) as CellJson['confidence'];
  const status = value === null ? 'empty' : 'filled';
  return {
    value,
    cell: { ...base, status, confidence, source: { service, provider, job_id: end.jobId }, error: null },
  };
}

function summaryOf({ column }: EnrichRequest, sum: ChunkResult, asked: number): string {
  const failed = sum.failed > 0 ? `, ${sum.failed} failed` : '';
  const spent = sum.isSpent
    ? ' The balance or a spend cap is used up: the rest of the column stays unfilled.'
    : '';
  return `${column.name}: ${sum.filled} of ${asked} found, ${sum.empty} searched without a find${failed}.${spent}`;
}

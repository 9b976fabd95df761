import { describe, expect, it } from '@jest/globals';
import type { JobLine } from '../api/resources';
import { answersTable } from './answers-table';

const job = (index: number, status: string, result: Record<string, unknown> | null) =>
  ({ input_index: index, status, result }) as unknown as JobLine;

describe('answers of a batch as a table', () => {
  it('have a row for each job, with its input, its answer and its status', () => {
    const jobs = [
      job(0, 'completed', { found: true, email: 'ada@globex.example', status: 'verified', phones: null }),
      job(1, 'failed', null),
    ];
    const { columns, rows } = answersTable({ jobs }, [{ full_name: 'Ada' }, { full_name: 'Bo' }]);
    expect(columns.map(({ name }) => name)).toEqual([
      'Full name',
      'Found',
      'Email',
      'Status',
      'Phones',
      'Job status',
    ]);
    expect(rows).toEqual([
      {
        full_name: 'Ada',
        found: true,
        email: 'ada@globex.example',
        status: 'verified',
        job_status: 'completed',
      },
      { full_name: 'Bo', job_status: 'failed' },
    ]);
  });

  it('keep an input next to an answer of the same name only if it differs', () => {
    const same = [job(0, 'completed', { domain: 'globex.example' })];
    expect(answersTable({ jobs: same }, [{ domain: 'globex.example' }]).columns).toHaveLength(2);
    const other = [job(0, 'completed', { domain: 'globex.test' })];
    expect(answersTable({ jobs: other }, [{ domain: 'globex.example' }]).rows).toEqual([
      { domain: 'globex.example', answer_domain: 'globex.test', job_status: 'completed' },
    ]);
  });

  it('work without the inputs, which the API does not return', () => {
    const jobs = [job(0, 'completed', { email: 'ada@globex.example' })];
    expect(answersTable({ jobs }, null).rows).toEqual([
      { email: 'ada@globex.example', job_status: 'completed' },
    ]);
  });
});

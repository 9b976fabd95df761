import { describe, expect, it } from '@jest/globals';
import type { Job } from '../api/resources';
import { batchesOfJobs } from './batches-of-jobs';

const jobsOf = (batch: string, count: number, status: Job['status'] = 'completed') =>
  Array.from(
    { length: count },
    () =>
      ({ poll_url: `/v1/services/jobs/batch/${batch}`, service: 'getEmail', created_at: '', status }) as Job,
  );
const ids = (items: ReadonlyArray<{ id: string }>) => items.map(({ id }) => id);

describe('batches of a page of jobs', () => {
  it('leave the last one to the next page, which begins with it: some of its jobs may be there', () => {
    const jobs = [...jobsOf('b3', 2), ...jobsOf('b2', 3, 'failed'), ...jobsOf('b1', 1)];
    const page = batchesOfJobs({ items: jobs, next_offset: 16 }, 10);
    expect(ids(page.items)).toEqual(['b3', 'b2']);
    expect(page.items.map(({ counts }) => counts)).toEqual([{ completed: 2 }, { failed: 3 }]);
    expect(page.next_offset).toBe(15);
  });

  it('that were made at the same time stay together', () => {
    const mixed = ['b2', 'b1', 'b2', 'b1', 'b2'].flatMap((id) => jobsOf(id, 1));
    const page = batchesOfJobs({ items: [...jobsOf('b3', 2), ...mixed], next_offset: 7 }, 0);
    expect(page).toMatchObject({ items: [{ id: 'b3', counts: { completed: 2 } }], next_offset: 2 });
    expect(ids(batchesOfJobs({ items: mixed, next_offset: 5 }, 0).items)).toEqual(['b2', 'b1']);
  });

  it('are all there on the last page, and on a page of a single batch', () => {
    const jobs = [...jobsOf('b2', 2), ...jobsOf('b1', 1)];
    expect(ids(batchesOfJobs({ items: jobs, next_offset: null }, 10).items)).toEqual(['b2', 'b1']);
    expect(batchesOfJobs({ items: jobsOf('b1', 3), next_offset: 3 }, 0)).toMatchObject({
      items: [{ id: 'b1' }],
      next_offset: 3,
    });
  });
});

import type { Job, OffsetPage } from '../api/resources';

export interface BatchOfJobs {
  readonly id: string;
  readonly service: string;
  readonly createdAt: string;
  readonly counts: Readonly<Partial<Record<Job['status'], number>>>;
}

/**
 * Returns the batches of a page of jobs, in the order of the list. The last one may have more jobs on the next page, where it is
 * shown instead: its counts would be too low.
 * @param offset of the page
 */
export function batchesOfJobs(
  { items, next_offset }: OffsetPage<Job>,
  offset: number,
): OffsetPage<BatchOfJobs> {
  const batches = new Map<string, BatchOfJobs>();
  let lastAt = 0;
  for (const [at, { poll_url: address, service, created_at: createdAt, status }] of items.entries()) {
    const id = address.split('/').at(-1) ?? address;
    const { counts = {} } = batches.get(id) ?? {};
    if (!batches.has(id)) lastAt = at;
    batches.set(id, { id, service, createdAt, counts: { ...counts, [status]: (counts[status] ?? 0) + 1 } });
  }
  const found = [...batches.values()];
  if (next_offset === null || lastAt === 0) return { items: found, next_offset };
  return { items: found.slice(0, -1), next_offset: offset + lastAt };
}

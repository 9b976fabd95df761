import type { Job, OffsetPage } from '../api/resources';

export interface BatchOfJobs {
  readonly id: string;
  readonly service: string;
  readonly createdAt: string;
  readonly counts: Readonly<Partial<Record<Job['status'], number>>>;
}

/**
 * Returns the batches of a page of jobs, in the order of the list. The last one may have more jobs on the next page, where it is
 * shown instead, with those that were made at the same time: their counts would be too low.
 * @param offset of the page
 */
export function batchesOfJobs(
  { items, next_offset }: OffsetPage<Job>,
  offset: number,
): OffsetPage<BatchOfJobs> {
  const batches = new Map<string, BatchOfJobs & { first: number; last: number }>();
  for (const [at, { poll_url: address, service, created_at: createdAt, status }] of items.entries()) {
    const id = address.split('/').at(-1) ?? address;
    const { counts = {}, first = at } = batches.get(id) ?? {};
    const counted = { ...counts, [status]: (counts[status] ?? 0) + 1 };
    batches.set(id, { id, service, createdAt, counts: counted, first, last: at });
  }
  const found = [...batches.values()];
  let end = items.length - 1;
  for (const { first, last } of found.toReversed()) if (last >= end) end = first;
  if (next_offset === null || end === 0) return { items: found, next_offset };
  return { items: found.filter(({ first }) => first < end), next_offset: offset + end };
}

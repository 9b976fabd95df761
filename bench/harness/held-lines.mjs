import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from './statistics.mjs';

/** Milliseconds, long enough for every part to be idle again. */
export const PAUSE_MS = 50;

let people = 0;

/** @returns inputs of `getEmail` with new people, because a known answer would be reused */
export function newPeople(count) {
  return Array.from({ length: count }, () => {
    people += 1;
    return { first_name: `Ada${people}`, last_name: 'Bench', domain: `company${people}.example` };
  });
}

/** Sends a batch and waits for its end with held reads. @returns the ended batch. @throws Error when a line has failed */
export async function endedBatch(api, inputs) {
  const batch = await api.call('POST', '/v1/services/jobs/batch', { service: 'getEmail', inputs });
  let ended = batch;
  while (ended.status !== 'completed') ended = await api.call('GET', `${batch.poll_url}?wait_seconds=30`);
  if (ended.counts.completed !== inputs.length)
    throw new Error(`Not every line was answered: ${JSON.stringify(ended.counts)}`);
  return ended;
}

/** @returns the milliseconds of a number of batches of one line, one after the other with pauses */
export async function heldLines(api, count) {
  const latenciesMs = [];
  for (let i = 0; i < count; i += 1) {
    const sentAt = performance.now();
    await endedBatch(api, newPeople(1));
    latenciesMs.push(performance.now() - sentAt);
    await delay(PAUSE_MS);
  }
  return latenciesMs;
}

export function latencySample(latenciesMs) {
  return {
    p50Ms: quantile(latenciesMs, 0.5),
    p95Ms: quantile(latenciesMs, 0.95),
    p99Ms: quantile(latenciesMs, 0.99),
  };
}

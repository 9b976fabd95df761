import { afterEach, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { Quarry, type QuarryEvent } from '@quarry/sdk';
import { printMeasurement, waitFor } from '@quarry/test-servers';
import { SeededRandom } from '@quarry/testing';
import { GatewayScene } from './spec-kit.js';

const CUTS = 20;
const WRITERS = 8;
const EVENTS_OF_WRITER = 50;
const SUBJECTS = 3;
const SEED = 20261127;

afterEach(() => GatewayScene.closeAll());

it('an event feed cut twenty times, with one of two gateways killed, delivers each event once and in order', async () => {
  const scene = await GatewayScene.open({ gateways: 2 });
  const { database } = scene.test;
  const random = new SeededRandom(SEED);
  let requests = 0;
  let cuts = 0;
  /** Sends requests to the gateways in turn, and cuts each answer off somewhere in the middle. */
  const tearing: typeof fetch = async (url, init) => {
    const gateway = scene.gateways[(requests += 1) % scene.gateways.length]!;
    const { pathname, search } = new URL(url as string | URL);
    const answer = await fetch(new URL(pathname + search, gateway.url), init);
    if (cuts >= CUTS || !answer.body) return answer;
    let left = 200 + random.below(4_000);
    const torn = answer.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          controller.enqueue(piece.subarray(0, left));
          if ((left -= piece.length) > 0) return;
          cuts += 1;
          controller.error(new Error('torn'));
        },
      }),
    );
    return new Response(torn, { status: answer.status, headers: answer.headers });
  };
  const quarry = new Quarry({ baseUrl: scene.gateways[0]!.url, apiKey: scene.apiKey, fetch: tearing });
  const record = (subject: string) =>
    database.query(systemCtx('spec'), "SELECT events.record_event($1, 'live', $2, 'run.step', '{}')", [
      scene.orgId,
      subject,
    ]);
  await record('run_0');
  const [first] = await waitFor('the first event', async () => {
    const { items } = await quarry.events.list({ limit: 1 });
    return items.length > 0 && items;
  });
  const stop = new AbortController();
  const seen: QuarryEvent[] = [first!];
  const reading = (async () => {
    for await (const event of quarry.events.follow({ after: first!.id, signal: stop.signal }))
      seen.push(event);
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  const all = WRITERS * EVENTS_OF_WRITER + 1;
  const writing = Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; n < EVENTS_OF_WRITER; n += 1) {
        // Writers do not run ahead of the reader, so that every stream has events to be cut off in.
        await waitFor('the reader', () => Promise.resolve(seen.length + WRITERS * 4 > writer + n * WRITERS));
        await record(`run_${(writer + n) % SUBJECTS}`);
      }
    }),
  );
  await waitFor('half of the cuts', () => Promise.resolve(cuts >= CUTS / 2), 60_000);
  await scene.gateways[0]!.app.stop('SIGKILL');
  await writing;
  await waitFor('every event', () => Promise.resolve(seen.length >= all), 120_000);
  stop.abort();
  await reading;
  const kept = await database.query<{ id: string }>(
    systemCtx('spec', scene.orgId),
    'SELECT id FROM events.events WHERE org_id = $1 ORDER BY xid, position',
    [scene.orgId],
  );
  printMeasurement(`streams: ${requests}, cut: ${cuts}, events: ${seen.length}`);
  expect(seen.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
  expect(cuts).toBe(CUTS);
  expect(await scene.close()).toEqual({});
}, 300_000);

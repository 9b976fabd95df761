import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@quarry/test-servers';
import { createLogger, RepeatedFaults, TrafficMetrics } from '@quarry/app';
import { reportRefusedCallers } from './refused-callers.js';
import { serve } from './rpc.fixture.js';

describe('refused callers', () => {
  const scene = () => {
    const lines: string[] = [];
    const logger = createLogger('spec', 'info', { write: (line) => void lines.push(line) });
    const traffic = new TrafficMetrics();
    let nowMs = 0;
    const report = reportRefusedCallers(
      logger,
      (stage) => traffic.countRefusal(stage),
      new RepeatedFaults(() => nowMs),
    );
    const refuse = (address: string) =>
      report({ stage: 'introduction', why: 'its signature is wrong', address });
    return { lines, traffic, report, refuse, pass: (ms: number) => void (nowMs += ms) };
  };

  it('are all counted, and logged once a minute per address', async () => {
    const { lines, traffic, refuse, pass } = scene();
    for (let i = 0; i < 10_000; i += 1) refuse('10.0.0.1');
    refuse('10.0.0.2');
    pass(60_000);
    refuse('10.0.0.1');
    const logged = lines.map((line) => JSON.parse(line) as { address: string; leftOut?: number });
    expect(logged.map(({ address, leftOut }) => [address, leftOut])).toEqual([
      ['10.0.0.1', undefined],
      ['10.0.0.2', undefined],
      ['10.0.0.1', 9_999],
    ]);
    expect(await traffic.registry.metrics()).toContain(
      'quarry_refused_callers_total{stage="introduction"} 10002',
    );
  });

  it('from ever new addresses do not flood the log', () => {
    const { lines, refuse } = scene();
    for (let i = 0; i < 5_000; i += 1) refuse(`2001:db8::${i.toString(16)}`);
    expect(lines.length).toBeLessThanOrEqual(201);
  });

  it('are reported by the server with the stage of the refusal', async () => {
    const { lines, traffic, report } = scene();
    const { server, port } = await serve({ api: {}, handlers: {} }, undefined, { onRefused: report });
    try {
      for (let i = 0; i < 20; i += 1) {
        const socket = connect(port, '127.0.0.1').on('error', () => undefined);
        await once(socket, 'data');
        socket.write(Buffer.alloc(400));
        await once(socket, 'close');
      }
      const metrics = () => traffic.registry.metrics();
      await waitFor('all to be counted', async () =>
        (await metrics()).includes('quarry_refused_callers_total{stage="introduction"} 20'),
      );
      expect(lines).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

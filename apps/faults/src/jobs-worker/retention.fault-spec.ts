import { afterEach, describe, expect, it } from '@jest/globals';
import { leaseTiming } from '@quarry/durable-work';
import { JobLeaseStore } from '@quarry/service-jobs';
import { printMeasurement } from '@quarry/test-servers';
import { BACKENDS, FaultScene } from './spec-kit.js';

afterEach(() => FaultScene.closeAll());

describe.each(BACKENDS)('lines older than the retention period, queues on %s', (backend) => {
  it('are cleared if they have ended, and left alone with their hold while they run', async () => {
    const scene = await FaultScene.open({ backend });
    const worker = await scene.startWorker();
    await scene.send(scene.people(20, 0));
    await scene.allEnded();
    await worker.stop();
    await scene.send(scene.people(1, 0));
    const { id } = await scene.one<{ id: string }>("SELECT id FROM audit.own_lines WHERE state = 'queued'");
    const leases = new JobLeaseStore(scene.test.database, leaseTiming(3_600_000));
    const job = (await leases.claimJobs(id))!;
    expect(await leases.startJobs(job)).toBe(true);
    await scene.stage(
      `UPDATE jobs.jobs SET created_at = created_at - interval '31 days', started_at = started_at - interval '31 days',
         completed_at = completed_at - interval '31 days'`,
    );
    const ledger = "SELECT md5(string_agg(t::text, ',' ORDER BY id)) AS digest FROM credits.transfers t";
    const before = await scene.one(ledger);
    await scene.startWorker();
    await scene.until('emptied_at IS NOT NULL', 20);
    const running = await scene.one(
      'SELECT state, input IS NULL AS lost, emptied_at FROM audit.own_lines WHERE id = $1',
      [id],
    );
    const { days } = await scene.one<{ days: number }>(
      `SELECT coalesce(extract(epoch FROM clock_timestamp() - min(completed_at)) / 86400, 0)::int AS days
       FROM audit.own_lines WHERE completed_at IS NOT NULL AND emptied_at IS NULL`,
    );
    printMeasurement(
      `retention (${backend}): 20 ended lines of 31 days emptied, oldest ended line with a result ${days} days, 1 running line untouched`,
    );
    expect(running).toEqual({ state: 'running', lost: false, emptied_at: null });
    expect(await scene.one(ledger)).toEqual(before);
    expect((await scene.account()).reserved).toBe(1000);
    // The line ends and is charged like a recent one.
    const result = {
      found: true,
      email: 'a@b.example',
      status: 'verified',
      confidence: 'high',
      provider: 'old',
    };
    expect(await leases.settleJobs(job, { state: 'completed', result, provider: 'old', charge: 1000 })).toBe(
      true,
    );
    // The test itself has started the line, without a call.
    expect(await scene.close({ attemptsWithoutCall: 1 })).toEqual({});
  });
});

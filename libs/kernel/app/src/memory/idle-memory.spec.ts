import { performance } from 'node:perf_hooks';
import { describe, expect, it } from '@jest/globals';
import { IdleMemory } from './idle-memory.js';

const MB = 1024 * 1024;

function scene() {
  const state = { share: 1, residentMb: 240, releases: 0 };
  const idle = new IdleMemory({
    utilization: () => performance.eventLoopUtilization(),
    utilizationSince: () => state.share,
    readResident: () => state.residentMb * MB,
    release: () => {
      state.releases += 1;
      state.residentMb = 160;
    },
  });
  const lookAt = (share: number, residentMb = state.residentMb): number => {
    Object.assign(state, { share, residentMb });
    idle.look();
    return state.releases;
  };
  return lookAt;
}

describe('unused memory of a process', () => {
  it('is released when the process is idle, and not while it works', () => {
    const releasesAfter = scene();
    expect(releasesAfter(0.9)).toBe(0);
    expect(releasesAfter(0.01)).toBe(1);
  });

  it('is released again only after it has grown', () => {
    const releasesAfter = scene();
    expect(releasesAfter(0.01)).toBe(1);
    expect(releasesAfter(0.01)).toBe(1);
    expect(releasesAfter(0.01, 170)).toBe(1);
    expect(releasesAfter(0.9, 300)).toBe(1);
    expect(releasesAfter(0.01)).toBe(2);
  });
});

import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { releaseMemory } from './collect-garbage.js';

const LOOK_MS = 5_000;
/** Delay until the memory of the start is released. */
const FIRST_LOOK_MS = 1_000;
/** Utilisation of the event loop below which the process counts as idle. */
const IDLE_BELOW = 0.05;
/** Growth since the last release that justifies the pause. */
const GROWN_BYTES = 24 * 1024 * 1024;

/** Readings and functions of the process that this module needs. */
export interface ProcessMemory {
  utilization(): EventLoopUtilization;
  utilizationSince(before: EventLoopUtilization): number;
  /** Resident memory in bytes. */
  readResident(): number;
  release(): void;
}

const THIS_PROCESS: ProcessMemory = {
  utilization: () => performance.eventLoopUtilization(),
  utilizationSince: (before) => performance.eventLoopUtilization(before).utilization,
  readResident: () => process.memoryUsage.rss(),
  release: releaseMemory,
};

/**
 * Returns memory to the system when a busy process becomes idle. V8 does not do so by itself: its young generation stays
 * as large as at peak load, which is 60 MB after the start alone.
 */
export class IdleMemory {
  private before: EventLoopUtilization;
  /** Resident memory after the last release; 0 before the first one. */
  private restingBytes = 0;

  constructor(private readonly memory: ProcessMemory = THIS_PROCESS) {
    this.before = memory.utilization();
  }

  /** Checks every few seconds as long as the process lives, without keeping it alive. */
  start(): this {
    setTimeout(
      () => {
        this.look();
        this.start();
      },
      this.restingBytes === 0 ? FIRST_LOOK_MS : LOOK_MS,
    ).unref();
    return this;
  }

  /** Releases memory if the process has been idle since the last check and has grown since the last release. */
  look(): void {
    const share = this.memory.utilizationSince(this.before);
    if (share < IDLE_BELOW && this.memory.readResident() > this.restingBytes + GROWN_BYTES) {
      this.memory.release();
      this.restingBytes = this.memory.readResident();
    }
    this.before = this.memory.utilization();
  }
}

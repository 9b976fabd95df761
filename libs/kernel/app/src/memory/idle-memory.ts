import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { releaseMemory } from './collect-garbage.js';

const LOOK_MS = 5_000;
/** Until what the start has left is cleared up. */
const FIRST_LOOK_MS = 1_000;
/** Share of the time that the event loop has worked, below which nobody waits for the process. */
const IDLE_BELOW = 0.05;
/** Growth since the memory was last given back that is worth a pause. */
const GROWN_BYTES = 24 * 1024 * 1024;

/** The readings and calls of the process that this module needs. */
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
 * Gives memory that a process has used while it worked back to the system once it rests. V8 does not do so by itself: its young
 * generation stays as large as the busiest moment made it, which is 60 MB after the start alone.
 */
export class IdleMemory {
  private before: EventLoopUtilization;
  /** Resident after the last time; 0 until the start has been cleared up after. */
  private restingBytes = 0;

  constructor(private readonly memory: ProcessMemory = THIS_PROCESS) {
    this.before = memory.utilization();
  }

  /** Looks every few seconds, for as long as the process lives; it does not keep the process alive. */
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

  /** Gives memory back when the process has rested since the last look and has grown since it last gave some back. */
  look(): void {
    const share = this.memory.utilizationSince(this.before);
    if (share < IDLE_BELOW && this.memory.readResident() > this.restingBytes + GROWN_BYTES) {
      this.memory.release();
      this.restingBytes = this.memory.readResident();
    }
    this.before = this.memory.utilization();
  }
}

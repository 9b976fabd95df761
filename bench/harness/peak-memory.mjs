// The largest resident memory of this process, counted anew for each piece of work.
import { readFileSync, writeFileSync } from 'node:fs';
import { CAN_MEASURE_PROCESSES } from './process-tree.mjs';

/**
 * Runs work and takes the peak of this process's resident memory during it.
 * @param {() => Promise<object>} work
 * @param {number} idleMb resident memory before anything was done
 * @returns what `work` returns, with `peakMb` over idle where the system tells
 */
export async function withPeak(idleMb, work) {
  // 5 resets the high-water mark. Source: proc_pid_clear_refs(5).
  if (CAN_MEASURE_PROCESSES) writeFileSync('/proc/self/clear_refs', '5');
  const sample = await work();
  return CAN_MEASURE_PROCESSES ? { ...sample, peakMb: statusMb('VmHWM') - idleMb } : sample;
}

/** @returns {number} resident memory of this process now */
export function idleMemoryMb() {
  return CAN_MEASURE_PROCESSES ? statusMb('VmRSS') : 0;
}

function statusMb(field) {
  const text = readFileSync('/proc/self/status', 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)[1]) / 1024;
}

// Peak resident memory of a process, measured separately for each piece of work.
import { readFileSync, writeFileSync } from 'node:fs';
import { CAN_MEASURE_PROCESSES } from './process-tree.mjs';

/**
 * Runs work and measures the peak resident memory of a process during it.
 * @param {number} idleMb resident memory before the first work
 * @param {() => Promise<object>} work
 * @param {number | 'self'} pid
 * @returns the result of `work`, with `peakMb` above idle if the system reports it
 */
export async function withPeak(idleMb, work, pid = 'self') {
  // 5 resets the high-water mark. Source: proc_pid_clear_refs(5).
  if (CAN_MEASURE_PROCESSES) writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const sample = await work();
  return CAN_MEASURE_PROCESSES ? { ...sample, peakMb: statusMb('VmHWM', pid) - idleMb } : sample;
}

/** @returns {number} current resident memory of a process, in megabytes */
export function idleMemoryMb(pid = 'self') {
  return CAN_MEASURE_PROCESSES ? statusMb('VmRSS', pid) : 0;
}

function statusMb(field, pid) {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)[1]) / 1024;
}

/**
 * Runs work and measures the CPU time of its thread, which excludes other threads and processes, so that a busy machine
 * makes no difference.
 * @returns the result, and the CPU time of this thread in milliseconds
 */
export async function measureThread<T>(work: () => T): Promise<{ value: Awaited<T>; cpuMs: number }> {
  const before = process.threadCpuUsage();
  const value = await work();
  const { user, system } = process.threadCpuUsage(before);
  return { value, cpuMs: (user + system) / 1000 };
}

/**
 * Measures work like {@link measureThread}. If it exceeds the limit, it is measured three times, so that cold caches and
 * garbage collection do not count as its cost.
 * @param limitMs limit with which the caller compares the result
 * @returns the median of three measurements, or the first one if it is below the limit
 */
export async function measureMedian(work: () => unknown, limitMs: number): Promise<number> {
  const { cpuMs: first } = await measureThread(work);
  if (first < limitMs) return first;
  const tries = [first, (await measureThread(work)).cpuMs, (await measureThread(work)).cpuMs];
  return tries.sort((a, b) => a - b)[1]!;
}

/** @param {{ endpoint: string, ratio: number } | null | undefined} traces null: nothing is traced */
export function tracingOf(traces) {
  return {
    endpoint: traces?.endpoint ?? null,
    headers: {},
    serviceName: 'bench',
    sampler: 'parentbased_traceidratio',
    ratio: traces?.ratio ?? 0,
    onFault: (why) => console.error('traces could not be sent:', why),
  };
}

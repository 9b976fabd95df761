/** Prints what a test measured, on a line of its own that a reader can search for. Jest would add a stack to console. */
export function printMeasurement(text: string): void {
  process.stderr.write(`measured: ${text}\n`);
}

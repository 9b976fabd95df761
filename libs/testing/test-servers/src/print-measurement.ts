/** Prints a measurement on a separate line that can be searched for. Jest would add a stack trace to console output. */
export function printMeasurement(text: string): void {
  process.stderr.write(`measured: ${text}\n`);
}

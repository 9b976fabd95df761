/** Prints what a test measured, on a line of its own that a reader can search for. Jest would add a stack to console. */
export function figure(text: string): void {
  process.stderr.write(`figure: ${text}\n`);
}

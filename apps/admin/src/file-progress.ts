const BAR_CHARACTERS = 30;
// A log gets four lines per step, not one for each batch.
const PLAIN_STEP_PERCENT = 25;

/** Stream of the progress: standard error, so that standard output stays one JSON object. */
type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

/** Shows the progress of a step: a progress bar on a terminal, plain lines elsewhere. */
export class FileProgress {
  private shown = '';

  constructor(private readonly out: ProgressStream = process.stderr) {}

  /** @param part 0 to 1; 1 ends the step */
  reportProgress(step: string, part: number): void {
    const percent = Math.floor(Math.min(part, 1) * 100);
    if (this.out.isTTY) this.drawStep(step, percent);
    else this.printLine(step, percent);
  }

  private drawStep(step: string, percent: number): void {
    const filled = Math.round((percent / 100) * BAR_CHARACTERS);
    const bar = '#'.repeat(filled).padEnd(BAR_CHARACTERS, '.');
    const line = `\r${step} [${bar}] ${percent} %`;
    if (line === this.shown) return;
    this.shown = line;
    this.out.write(percent === 100 ? `${line}\n` : line);
  }

  private printLine(step: string, percent: number): void {
    const line = `${step} ${percent - (percent % PLAIN_STEP_PERCENT)} %`;
    if (line === this.shown) return;
    this.shown = line;
    this.out.write(`${line}\n`);
  }
}

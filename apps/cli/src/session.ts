import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Quarry } from '@quarry/sdk';
import { EXIT, UsageError } from './exit-codes.js';
import { formatOf, Output, type OutputOptions } from './output.js';
import { Profiles, type Profile } from './profiles.js';
import { toPrintable, withoutControls } from './screen.js';

/** Milliseconds between two sights of progress on a screen. */
const FRAME_MS = 100;
/** Milliseconds after which a log is told again that work goes on. */
const REPEAT_MS = 30_000;

/** Options that every command takes. */
export interface GlobalOptions extends OutputOptions {
  profile?: string;
}

/** Context of a command: the server, its notes on the way, and the output of answers. */
export class Session {
  readonly profiles = new Profiles(process.env, process.cwd());
  private readonly interrupted = new AbortController();
  private isProgressShown = false;
  private readonly progress = {
    text: '',
    state: '',
    shownAtMs: -Infinity,
    timer: null as NodeJS.Timeout | null,
  };

  /** @throws UsageError where the answer could not be written: before anything is asked for, let alone paid */
  constructor(readonly options: GlobalOptions) {
    formatOf(options);
  }

  /** @throws UsageError without a key */
  get profile(): Profile {
    return this.profiles.findProfile(this.options.profile);
  }

  get quarry(): Quarry {
    const { url, apiKey } = this.profile;
    return new Quarry({ baseUrl: url, apiKey });
  }

  openOutput(): Output {
    return new Output(this.options);
  }

  /** Fires when the person presses Ctrl-C; a second time ends the process at once. */
  get signal(): AbortSignal {
    return this.interrupted.signal;
  }

  /** @param hint what to say when the person leaves work that goes on */
  watchInterrupt(hint: () => string): void {
    process.once('SIGINT', () => {
      this.say(hint());
      this.interrupted.abort();
      process.once('SIGINT', () => process.exit(EXIT.interrupted));
    });
  }

  /** Says something on standard error, which is for people. */
  say(text: string): void {
    if (this.isProgressShown) process.stderr.write('\r\u001b[K');
    this.isProgressShown = false;
    // Much of it was written by others: messages of runs, titles of pages.
    if (!this.options.quiet) process.stderr.write(`${withoutControls(text)}\n`);
  }

  /**
   * Shows how far work is: on a screen in place, ten times a second at most; elsewhere by a line for each state, which is said again
   * every 30 seconds.
   * @param state changes less often than the text, such as that of a count
   */
  showProgress(text: string, state: string = text): void {
    if (this.options.quiet) return;
    const { CI, TERM } = process.env;
    this.progress.text = text;
    if (!process.stderr.isTTY || CI || TERM === 'dumb') {
      // It does not keep the process from ending.
      this.progress.timer ??= setInterval(() => this.say(this.progress.text), REPEAT_MS).unref();
      if (this.progress.state !== state) this.say(text);
      this.progress.state = state;
    } else if (performance.now() - this.progress.shownAtMs >= FRAME_MS) {
      this.progress.shownAtMs = performance.now();
      process.stderr.write(`\r\u001b[K${toPrintable(text)}`);
      this.isProgressShown = true;
    }
  }

  /**
   * Asks a question that is answered with yes or no.
   * @param flag what says yes beforehand
   * @throws UsageError where nobody can answer
   */
  async confirm(question: string, flag: string): Promise<boolean> {
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      throw new UsageError(`${question} Nobody can be asked here: say ${flag}.`);
    return /^y(es)?$/i.test((await this.ask(`${question} [y/N] `)).trim());
  }

  /** Reads a line, empty where the input ends without one; what is typed is not shown where it is a secret. */
  async ask(question: string, { isSecret = false } = {}): Promise<string> {
    const reader = createInterface({
      input: process.stdin,
      output: process.stderr,
      terminal: process.stdin.isTTY,
    });
    if (isSecret && process.stdin.isTTY) {
      process.stderr.write(question);
      Object.assign(reader, { _writeToOutput: () => undefined });
    }
    // A question is never answered once its input has ended.
    const ended = once(reader, 'close').then(() => '');
    try {
      return await Promise.race([reader.question(isSecret ? '' : question), ended]);
    } finally {
      reader.close();
      if (isSecret && process.stdin.isTTY) process.stderr.write('\n');
    }
  }
}

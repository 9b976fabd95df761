import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Quarry } from '@quarry/sdk';
import { EXIT, UsageError } from './exit-codes.js';
import { formatOf, Output, type OutputOptions } from './output.js';
import { Profiles, type Profile } from './profiles.js';
import { toPrintable, withoutControls } from './screen.js';

/** Milliseconds between two updates of progress on a screen. */
const FRAME_MS = 100;
/** Milliseconds after which a log repeats that work is in progress. */
const REPEAT_MS = 30_000;

/** Options that every command takes. */
export interface GlobalOptions extends OutputOptions {
  profile?: string;
}

/** Context of a command: the server, messages to the user, and the output of answers. */
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

  /** @throws UsageError when the output cannot be written, before anything is requested or charged */
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

  /** Writes one document as the answer of the command. */
  writeDocument(document: Parameters<Output['writeDocument']>[0]): Promise<void> {
    return this.openOutput().writeDocument(document);
  }

  /** Writes rows as the answer of the command. */
  writeRows(...rows: Parameters<Output['writeRows']>): Promise<void> {
    return this.openOutput().writeRows(...rows);
  }

  /** Aborted when the user presses Ctrl-C; a second time ends the process at once. */
  get signal(): AbortSignal {
    return this.interrupted.signal;
  }

  /** @param hint message for a user who leaves work that continues on the server */
  watchInterrupt(hint: () => string): void {
    process.once('SIGINT', () => {
      this.say(hint());
      this.interrupted.abort();
      process.once('SIGINT', () => process.exit(EXIT.interrupted));
    });
  }

  /** Writes a message for the user to standard error. */
  say(text: string): void {
    if (this.isProgressShown) process.stderr.write('\r\u001b[K');
    this.isProgressShown = false;
    // Messages may contain foreign text: results of runs, titles of pages.
    if (!this.options.quiet) process.stderr.write(`${withoutControls(text)}\n`);
  }

  /**
   * Shows progress: in place on a screen, at most ten times a second; otherwise one line for each state, repeated every 30
   * seconds.
   * @param state changes less often than the text, for example without its count
   */
  showProgress(text: string, state: string = text): void {
    if (this.options.quiet) return;
    const { CI, TERM } = process.env;
    this.progress.text = text;
    if (!process.stderr.isTTY || CI || TERM === 'dumb') {
      // Does not keep the process running.
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
   * Asks a yes-or-no question.
   * @param flag option that answers yes in advance
   * @throws UsageError when nobody can answer
   */
  async confirm(question: string, flag: string): Promise<boolean> {
    if (!process.stdin.isTTY || !process.stderr.isTTY)
      throw new UsageError(`${question} There is no terminal to ask: use ${flag}.`);
    return /^y(es)?$/i.test((await this.ask(`${question} [y/N] `)).trim());
  }

  /** Reads a line, empty when the input ends without one. A secret is not echoed. */
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
    // Without this, a question would never be answered after the end of the input.
    const ended = once(reader, 'close').then(() => '');
    try {
      return await Promise.race([reader.question(isSecret ? '' : question), ended]);
    } finally {
      reader.close();
      if (isSecret && process.stdin.isTTY) process.stderr.write('\n');
    }
  }
}

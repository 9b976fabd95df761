import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

/** An app of this checkout as a child process, as an operator would run it. */
export class AppProcess {
  private log = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.log += chunk));
  }

  /** Starts `apps/<name>/dist/main.js`. Only the given variables and PATH are set. */
  static start(name: string, env: Record<string, string>): AppProcess {
    const main = join(import.meta.dirname, '..', '..', '..', 'apps', name, 'dist', 'main.js');
    const child = spawn(process.execPath, ['--enable-source-maps', main], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new AppProcess(child);
  }

  /** All that it has printed so far. */
  get output(): string {
    return this.log;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Sends a signal and waits for the end. @returns the exit code, null when the signal ended it */
  async stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) this.child.kill(signal);
    return this.ended();
  }

  /** Waits until it has ended by itself or by a signal. @returns as {@link stop} */
  async ended(): Promise<number | null> {
    if (!this.hasEnded) await new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    return this.child.exitCode;
  }

  /** Waits until it has printed a text. @throws when it ends before, or after `timeoutMs`, with what it printed */
  async printed(text: string, timeoutMs = 30_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.log.includes(text)) {
      if (this.hasEnded || performance.now() > deadline)
        throw new Error(`It never printed "${text}". It printed:\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

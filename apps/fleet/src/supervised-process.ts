import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface SupervisedOptions {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** True where the child is a Node process that ends when this one is gone. */
  isNode: boolean;
  /** Given each line that it prints. */
  onLine: (line: string) => void;
  /** Told when it ended although nobody stopped it. */
  onLost: (how: string, againInMs: number) => void;
}

/** First wait before a lost process is started again; it doubles while the process keeps ending. */
const BACK_OFF_MS = 500;
const BACK_OFF_MAX_MS = 30_000;
/** One that has lived for as long was well: its next loss waits as little as the first. */
const WELL_MS = 60_000;

/** @returns how long to wait before the next start, after so many crashes in a row. Milliseconds */
export function backOffMs(crashes: number): number {
  return Math.min(BACK_OFF_MAX_MS, BACK_OFF_MS * 2 ** (crashes - 1));
}

/**
 * A process that is kept alive: one that ends is started again, later each time. `running` → (ends) `waiting` →
 * `running`, until {@link stop}.
 */
export class SupervisedProcess {
  private child: ChildProcess | null = null;
  private startedAt = 0;
  private crashes = 0;
  private again: NodeJS.Timeout | null = null;
  private isStopping = false;
  private isRestarting = false;

  constructor(private readonly options: SupervisedOptions) {}

  /** Returns how often it has ended although nobody stopped it. */
  get crashesInARow(): number {
    return this.crashes;
  }

  get name(): string {
    return this.options.name;
  }

  start(): void {
    const { command, args, env, isNode, onLine } = this.options;
    this.startedAt = performance.now();
    const child = spawn(command, [...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', ...(isNode ? ['ipc' as const] : [])],
      // In a group of its own: Ctrl-C reaches this process alone, which stops all of them in their order.
      detached: true,
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface(stream).on('line', onLine);
    child.once('error', (error) => this.restartLost(child, error.message));
    child.once('exit', (code, signal) => this.restartLost(child, signal ?? `code ${code}`));
  }

  /** Asks it to stop, as an orchestrator does. @returns when it has ended */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.again) clearTimeout(this.again);
    const { child } = this;
    if (!child) return;
    // One that could never be started says so instead of ending.
    const ended = new Promise<void>((resolve) =>
      child.once('exit', () => resolve()).once('error', () => resolve()),
    );
    child.kill('SIGTERM');
    await ended;
  }

  /** Starts it anew, at once when it has ended: its files have changed. */
  restart(): void {
    if (this.isStopping) return;
    if (this.again) clearTimeout(this.again);
    this.isRestarting = this.child !== null;
    if (this.child) this.child.kill('SIGTERM');
    else this.start();
  }

  /** A second word: it waits for nothing more. */
  force(): void {
    this.child?.kill('SIGTERM');
  }

  private restartLost(child: ChildProcess, how: string): void {
    if (this.child !== child) return;
    this.child = null;
    if (this.isStopping) return;
    if (this.isRestarting) {
      this.isRestarting = false;
      return this.start();
    }
    if (performance.now() - this.startedAt > WELL_MS) this.crashes = 0;
    this.crashes += 1;
    const waitMs = backOffMs(this.crashes);
    this.options.onLost(how, waitMs);
    this.again = setTimeout(() => this.start(), waitMs);
  }
}

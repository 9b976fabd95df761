import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface SupervisedOptions {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** True if the child is a Node process, which ends when this one does. */
  isNode: boolean;
  /** Called for each line that it prints. */
  onLine: (line: string) => void;
  /** Called when it ends without being stopped. */
  onLost: (how: string, againInMs: number) => void;
}

/** Milliseconds before a lost process is first restarted; doubles while the process keeps ending. */
const BACK_OFF_MS = 500;
const BACK_OFF_MAX_MS = 30_000;
/** Milliseconds after which a process counts as healthy: its next restart waits as briefly as the first. */
const WELL_MS = 60_000;

/** @returns milliseconds to wait before the next start, after a number of consecutive crashes */
export function backOffMs(crashes: number): number {
  return Math.min(BACK_OFF_MAX_MS, BACK_OFF_MS * 2 ** (crashes - 1));
}

/**
 * A process that is restarted when it ends, with increasing delays. `running` → (ends) `waiting` → `running`, until
 * {@link stop}.
 */
export class SupervisedProcess {
  private child: ChildProcess | null = null;
  private startedAt = 0;
  private crashes = 0;
  private again: NodeJS.Timeout | null = null;
  private isStopping = false;
  private isRestarting = false;

  constructor(private readonly options: SupervisedOptions) {}

  /** Returns the number of consecutive times that it has ended without being stopped. */
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
      // In a separate process group: Ctrl-C reaches only this process, which stops all others in order.
      detached: true,
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) if (stream) createInterface(stream).on('line', onLine);
    child.once('error', (error) => this.restartLost(child, error.message));
    child.once('exit', (code, signal) => this.restartLost(child, signal ?? `code ${code}`));
  }

  /** Stops it with SIGTERM, as an orchestrator does. @returns when it has ended */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.again) clearTimeout(this.again);
    const { child } = this;
    if (!child) return;
    // A process that could not be started emits `error` instead of `exit`.
    const ended = new Promise<void>((resolve) =>
      child.once('exit', () => resolve()).once('error', () => resolve()),
    );
    child.kill('SIGTERM');
    await ended;
  }

  /** Restarts it after a change of its files, at once when it has ended. */
  restart(): void {
    if (this.isStopping) return;
    if (this.again) clearTimeout(this.again);
    this.isRestarting = this.child !== null;
    if (this.child) this.child.kill('SIGTERM');
    else this.start();
  }

  /** Sends a second signal, after which it no longer waits for anything. */
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

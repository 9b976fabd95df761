import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { appEnv, mainOf } from './app-main.js';
import { FAILPOINT_ACTIONS, type FailpointAction } from './failpoints.preload.js';
import { shiftedClock, type JumpingClock } from './shifted-clock.js';

/** Faults inside a process. */
export interface ProcessFaults {
  /** Actions at its failpoints. */
  failpoints?: readonly FailpointAction[];
  /** Offset of its wall clock in seconds, ahead of the real time; its monotonic clock stays right. */
  clockAheadSeconds?: number;
  /** Its wall clock, which the test may change. */
  clock?: JumpingClock;
  /** Heap limit in megabytes. */
  heapMb?: number;
  /** Network namespace in which it runs, created by the test. */
  networkNamespace?: string;
}

/** Built module, like the apps. */
const PRELOAD = pathToFileURL(join(import.meta.dirname, '..', 'dist', 'failpoints.preload.js')).href;

/** An app of this checkout as a child process, as an operator would run it. */
export class AppProcess {
  private log = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.log += chunk));
  }

  /**
   * Starts the program of an app. Only the given variables, PATH and the variables of the faults are set.
   * @param checkout folder of another built version; this one by default
   */
  static start(
    name: string,
    env: Record<string, string>,
    faults: ProcessFaults = {},
    checkout?: string,
  ): AppProcess {
    const { failpoints = [], clockAheadSeconds = 0, heapMb, networkNamespace } = faults;
    const clock = faults.clock ?? clockAheadSeconds;
    const flags = [
      ...(failpoints.length > 0 ? ['--import', PRELOAD] : []),
      ...(heapMb === undefined ? [] : [`--max-old-space-size=${heapMb}`]),
    ];
    // `ip` replaces itself with the program, so that signals reach it.
    const within = networkNamespace === undefined ? [] : ['ip', 'netns', 'exec', networkNamespace];
    const [command, ...args] = [...within, process.execPath, ...flags, mainOf(name, checkout)];
    const child = spawn(command!, args, {
      env: {
        ...appEnv(),
        ...(failpoints.length > 0 ? { [FAILPOINT_ACTIONS]: JSON.stringify(failpoints) } : {}),
        ...(clock === 0 ? {} : shiftedClock(clock)),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new AppProcess(child);
  }

  /** Returns its output so far. */
  get output(): string {
    return this.log;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Suspends it, like a debugger or an overloaded host; the process does not notice {@link resume}. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** Sends a signal and waits for the end. @returns the exit code; null if the signal ended it */
  async stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (!this.hasEnded) this.child.kill(signal);
    return this.ended();
  }

  /** Waits until it has ended by itself or by a signal. @returns like {@link stop} */
  async ended(): Promise<number | null> {
    if (!this.hasEnded) await new Promise<void>((resolve) => this.child.once('exit', () => resolve()));
    return this.child.exitCode;
  }

  /** Waits until it has printed a text. @throws with its output if it ends before, or after `timeoutMs` */
  async printed(text: string, timeoutMs = 120_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.log.includes(text)) {
      if (this.hasEnded || performance.now() > deadline)
        throw new Error(`It never printed "${text}". It printed:\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { appEnv, mainOf } from './app-main.js';
import { FAILPOINT_ACTIONS, type FailpointAction } from './failpoints.preload.js';
import { shiftedClock, type JumpingClock } from './shifted-clock.js';

/** Faults of a process by itself. */
export interface ProcessFaults {
  /** Actions at its failpoints. */
  failpoints?: readonly FailpointAction[];
  /** Seconds that its wall clock is ahead of everybody's; its monotonic clock stays true. */
  clockAheadSeconds?: number;
  /** Its wall clock, which the test may set again. */
  clock?: JumpingClock;
  /** Megabytes that its heap may grow to. */
  heapMb?: number;
  /** Network namespace of the machine that it runs in, made by the test. */
  networkNamespace?: string;
}

/** Built, as the apps are. */
const PRELOAD = pathToFileURL(join(import.meta.dirname, '..', 'dist', 'failpoints.preload.js')).href;

/** An app of this checkout as a child process, as an operator would run it. */
export class AppProcess {
  private log = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => (this.log += chunk));
  }

  /**
   * Starts the program of an app. Only the given variables, PATH and what the faults need are set.
   * @param checkout folder of another version, built; this one when left out
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
    // `ip` becomes the program that it starts, so that signals reach it.
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

  /** Stops it where it is, as a debugger or a full host does; {@link resume} lets it go on and knows nothing of it. */
  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
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
  async printed(text: string, timeoutMs = 120_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.log.includes(text)) {
      if (this.hasEnded || performance.now() > deadline)
        throw new Error(`It never printed "${text}". It printed:\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

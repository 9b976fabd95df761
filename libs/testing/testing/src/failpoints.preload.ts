/** Action of a process at one of its failpoints. */
export interface FailpointAction {
  /** Name of the point: `Failpoint` of the service jobs' library. */
  at: string;
  /**
   * `kill` and `stop` signal the process itself, `spin` blocks its event loop forever, `hoard` fills its heap until it
   * crashes, `throw` fails the work.
   */
  action: 'kill' | 'stop' | 'spin' | 'hoard' | 'delay' | 'throw';
  /** Acts only at this hit, counted from 1; at every hit by default. */
  hit?: number;
  /** Counts only jobs whose input contains this text. */
  line?: string;
  /** Duration of a delay; for a signal, the time after the point at which it is sent, while the work continues. */
  ms?: number;
}

/** Variable that passes the actions, as JSON, to a process that preloads this module. */
export const FAILPOINT_ACTIONS = 'QUARRY_FAILPOINTS';

/** Performs the actions at their failpoints: the implementation of `Failpoints` for tests. */
class FailpointActions {
  private readonly hits = new Map<FailpointAction, number>();

  constructor(private readonly actions: readonly FailpointAction[]) {}

  async reach(point: string, input?: Readonly<Record<string, unknown>>): Promise<void> {
    for (const action of this.actions) {
      if (action.at !== point) continue;
      if (action.line !== undefined && !JSON.stringify(input ?? null).includes(action.line)) continue;
      const hit = (this.hits.get(action) ?? 0) + 1;
      this.hits.set(action, hit);
      if (action.hit === undefined || action.hit === hit) await act(action);
    }
  }
}

async function act({ action, at, ms = 0 }: FailpointAction): Promise<void> {
  const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  switch (action) {
    case 'kill':
    case 'stop': {
      const signal = action === 'kill' ? 'SIGKILL' : 'SIGSTOP';
      if (ms > 0) setTimeout(() => process.kill(process.pid, signal), ms);
      else process.kill(process.pid, signal);
      return;
    }
    case 'spin':
      for (;;);
    case 'hoard':
      for (const heap: number[][] = []; ;) heap.push(new Array<number>(1e6).fill(heap.length));
    case 'delay':
      return wait();
    case 'throw':
      throw new Error(`The failpoint ${at} was told to fail.`);
  }
}

const actions = process.env[FAILPOINT_ACTIONS];
if (actions !== undefined) {
  (globalThis as { [key: symbol]: unknown })[Symbol.for('quarry.failpoints')] = new FailpointActions(
    JSON.parse(actions) as FailpointAction[],
  );
}

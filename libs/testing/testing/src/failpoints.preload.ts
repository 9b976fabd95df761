/** Action of a process at one of its failpoints. */
export interface FailpointAction {
  /** The name of the point: `Failpoint` of the service jobs' library. */
  at: string;
  /**
   * `kill` and `stop` signal the process itself, `spin` keeps its loop busy for ever, `hoard` fills its heap until it
   * dies, `throw` fails the work.
   */
  action: 'kill' | 'stop' | 'spin' | 'hoard' | 'delay' | 'throw';
  /** Acts at this hit only, counted from 1; at every hit when left out. */
  hit?: number;
  /** Counts only lines whose input contains this text. */
  line?: string;
  /** Length of a delay; for a signal, how long after the point it is sent, while the work goes on. */
  ms?: number;
}

/** Variable that carries the actions, as JSON, to a process started with this module in front. */
export const FAILPOINT_ACTIONS = 'QUARRY_FAILPOINTS';

/** Performs the actions as their failpoints are reached: what the service jobs' library knows as `Failpoints`. */
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

/** Action of a process at one of its crash points. */
export interface CrashPlan {
  /** The name of the point: `CrashPoint` of the service jobs' library. */
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

/** Variable that carries the plans, as JSON, to a process started with this module in front. */
export const CRASH_PLANS = 'QUARRY_CRASH_PLANS';

/** Acts on plans as their points are reached: what the service jobs' library knows as `CrashPoints`. */
class PlannedCrashes {
  private readonly hits = new Map<CrashPlan, number>();

  constructor(private readonly plans: readonly CrashPlan[]) {}

  async reach(point: string, input?: Readonly<Record<string, unknown>>): Promise<void> {
    for (const plan of this.plans) {
      if (plan.at !== point) continue;
      if (plan.line !== undefined && !JSON.stringify(input ?? null).includes(plan.line)) continue;
      const hit = (this.hits.get(plan) ?? 0) + 1;
      this.hits.set(plan, hit);
      if (plan.hit === undefined || plan.hit === hit) await act(plan);
    }
  }
}

async function act({ action, at, ms = 0 }: CrashPlan): Promise<void> {
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
      throw new Error(`The crash point ${at} was told to fail.`);
  }
}

const plans = process.env[CRASH_PLANS];
if (plans !== undefined) {
  (globalThis as { [key: symbol]: unknown })[Symbol.for('quarry.crash-points')] = new PlannedCrashes(
    JSON.parse(plans) as CrashPlan[],
  );
}

export type ServiceName = 'getEmail' | 'getLinkedInUserComments';

/** One input of a batch, with the fields that the rules read. */
export interface Search {
  person: number;
  deep: boolean;
  isThin: boolean;
}

/** Outcomes of a search; `deep` is true when the Deep agent was called and finished. */
export const OUTCOMES = {
  find: { state: 'completed', found: true, deep: false },
  deepFind: { state: 'completed', found: true, deep: true },
  miss: { state: 'completed', found: false, deep: false },
  deepMiss: { state: 'completed', found: false, deep: true },
  failure: { state: 'failed', found: false, deep: false },
  failureAfterDeep: { state: 'failed', found: false, deep: true },
} as const;
export type Outcome = keyof typeof OUTCOMES;

type State = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

export class ModelOrg {
  reserved = 0;
  spent = 0;
  constructor(public available: number) {}
}

/** Lease of a job, valid while the job refers to it. */
export class ModelLease {
  isOld = false;
  hasStarted = false;
  constructor(readonly job: ModelJob) {}
  get stands(): boolean {
    return this.job.lease === this;
  }
}

export class ModelJob {
  id: string | null = null;
  state: State = 'queued';
  attempt = 0;
  claims = 0;
  /** Number of attempts with a call that were handed back: they count towards no limit. */
  handedBack = 0;
  /** True when the newest attempt was handed back before its call, so the next start continues it. */
  isSpare = false;
  lease: ModelLease | null = null;
  isHeld = false;
  isFound = false;
  error: string | null = null;
  /** Completion time, counted in statements; null once it is too old to be reused. */
  completedAt: number | null = null;

  constructor(
    readonly org: ModelOrg,
    readonly service: ServiceName,
    readonly search: Search,
    readonly isFresh: boolean,
  ) {}

  get isOpen(): boolean {
    return this.state === 'queued' || this.state === 'running';
  }
  get leaseLosses(): number {
    return this.attempt - this.handedBack - (this.isSpare && !this.lease ? 1 : 0);
  }
  get deep(): boolean {
    return this.service === 'getEmail' && this.search.deep;
  }
  get price(): number {
    return this.service === 'getEmail' ? (this.deep ? 3000 : 1000) : 2000;
  }

  costOf(outcome: Outcome): number {
    const { found, deep } = OUTCOMES[outcome];
    if (found) return this.deep && !deep ? 1000 : this.price;
    return this.deep && deep ? 500 : 0;
  }

  isAbout(other: ModelJob): boolean {
    return (
      this.org === other.org &&
      this.service === other.service &&
      this.search.person === other.search.person &&
      !this.search.isThin &&
      !other.search.isThin
    );
  }

  end(state: State, charge: number, error: string | null = null): void {
    if (this.isHeld) {
      this.org.reserved -= this.price;
      this.org.available += this.price - charge;
      this.org.spent += charge;
    }
    Object.assign(this, { state, error, lease: null });
  }
}

import {
  checkLimits,
  emptyIntent,
  type PlanAsk,
  type PlanIntent,
  type PlannedPrompt,
  type Planner,
  type PlannerCtx,
  type PlannerLimits,
} from '@quarry/plan';

/** A planner for specs: it returns a given plan whatever the prompt, and records its calls. */
export class FakePlanner implements Planner {
  readonly requests: PlanAsk[] = [];

  /** @param change fields of the intents, in addition to a search for companies of the directory */
  constructor(private readonly change: (ask: PlanAsk) => Partial<PlanIntent> = () => ({})) {}

  async createPlan(ask: PlanAsk, _ctx: PlannerCtx, limits: PlannerLimits): Promise<PlannedPrompt> {
    checkLimits(limits);
    this.requests.push(ask);
    const wanted = ask.output.length > 0 ? ask.output : [null];
    const intents = wanted.map((table) => ({
      ...emptyIntent(table?.entity ?? 'company', {
        source: { kind: 'directory' },
        output_table: table?.key ?? null,
      }),
      ...this.change(ask),
    }));
    return { planner: 'rules', intents };
  }
}

import {
  checkLimits,
  PlanningFailedError,
  PlanningTimeoutError,
  type PlanAsk,
  type PlannedPrompt,
  type Planner,
  type PlannerCtx,
  type PlannerLimits,
} from '@quarry/plan';

/** Told when the rules have read a prompt in place of the model. */
export type OnFallback = (error: Error, ctx: PlannerCtx) => void;

/** Asks the model, and the rules where it could make nothing of a prompt. The plan says so in its notes. */
export class FallbackPlanner implements Planner {
  constructor(
    private readonly model: Planner,
    private readonly rules: Planner,
    private readonly onFallback: OnFallback = () => undefined,
  ) {}

  async plan(ask: PlanAsk, ctx: PlannerCtx, limits: PlannerLimits): Promise<PlannedPrompt> {
    try {
      return await this.model.plan(ask, ctx, limits);
    } catch (error) {
      if (!(error instanceof PlanningFailedError || error instanceof PlanningTimeoutError)) throw error;
      checkLimits(limits);
      this.onFallback(error, ctx);
      const { planner, intents } = await this.rules.plan(ask, ctx, limits);
      const note = `${error.message} The rules have read this prompt in its place.`;
      return { planner, intents: intents.map((intent) => ({ ...intent, notes: [note, ...intent.notes] })) };
    }
  }
}

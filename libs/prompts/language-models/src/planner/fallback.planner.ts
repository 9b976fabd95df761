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

/** Called when the rules have read a prompt instead of the model. */
export type OnFallback = (error: Error, ctx: PlannerCtx) => void;

/** Maximum number of faults in the notes of a plan. */
const FAULTS_NOTED_MAX = 3;
const FAULT_CHARACTERS_MAX = 300;

/** Returns a note for each of the first faults for which the model's plan was rejected. */
function faultNotes(error: PlanningFailedError | PlanningTimeoutError): string[] {
  if (!(error instanceof PlanningFailedError)) return [];
  return error.faults
    .slice(0, FAULTS_NOTED_MAX)
    .map((fault) => `Refused: ${[...fault].slice(0, FAULT_CHARACTERS_MAX).join('')}.`);
}

/** Plans with the model, and with the rules when the model cannot plan a prompt. The notes of the plan say so. */
export class FallbackPlanner implements Planner {
  constructor(
    private readonly model: Planner,
    private readonly rules: Planner,
    private readonly onFallback: OnFallback = () => undefined,
  ) {}

  async createPlan(ask: PlanAsk, ctx: PlannerCtx, limits: PlannerLimits): Promise<PlannedPrompt> {
    try {
      return await this.model.createPlan(ask, ctx, limits);
    } catch (error) {
      if (!(error instanceof PlanningFailedError || error instanceof PlanningTimeoutError)) throw error;
      checkLimits(limits);
      this.onFallback(error, ctx);
      const { planner, intents } = await this.rules.createPlan(ask, ctx, limits);
      const added = [`${error.message} The rules have read this prompt in its place.`, ...faultNotes(error)];
      return {
        planner,
        intents: intents.map((intent) => ({ ...intent, notes: [...added, ...intent.notes] })),
      };
    }
  }
}

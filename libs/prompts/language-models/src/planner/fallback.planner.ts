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

/** Faults that the notes of a plan have room for. */
const FAULTS_NOTED_MAX = 3;
const FAULT_CHARACTERS_MAX = 300;

/** Returns a note for each of the first faults that the plan of a model was refused for. */
function faultNotes(error: PlanningFailedError | PlanningTimeoutError): string[] {
  if (!(error instanceof PlanningFailedError)) return [];
  return error.faults
    .slice(0, FAULTS_NOTED_MAX)
    .map((fault) => `Refused: ${[...fault].slice(0, FAULT_CHARACTERS_MAX).join('')}.`);
}

/** Asks the model, and the rules where it could make nothing of a prompt. The plan says so in its notes. */
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

import type { FaultStyle, PlanJson } from '@quarry/dto';
import type { z } from 'zod';
import type { ToolCall } from './tool-call.js';

/** Effects of a tool, for clients that ask the user before calls. They are only hints: no decision depends on them. */
export interface ToolEffects {
  /** Changes nothing and costs nothing. */
  readOnlyHint: boolean;
  /** Removes or ends something. */
  destructiveHint: boolean;
  /** A repeated call changes nothing further. */
  idempotentHint: boolean;
  /** Calls sources outside this installation. */
  openWorldHint: boolean;
}

/** Effect of a call that spends or removes: its maximum cost, or what it removes. */
export interface Spend {
  /**
   * Question shown instead of the price if the client supports forms, whatever the call costs. For other clients the call is
   * executed: they have the hint that it removes something.
   */
  question?: string;
  /** Maximum cost of the call in credits. */
  worstCase: number;
  /** Purpose, shown to the person who decides: `30 × getEmail`. */
  what: string;
  /** Details of the estimate, for an agent that has to decide. */
  estimate: Readonly<Record<string, unknown>>;
  /** Priced plan, if it was stored: the call executes exactly this one. */
  plan?: PlanJson;
}

/** Result of a tool: an object that matches its output schema. */
export type ToolAnswer = Record<string, unknown>;

/** Tool as data. All fields are required, so that a new tool cannot omit one. */
export interface Tool<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Text with which a model selects and uses it. */
  readonly description: string;
  readonly input: Input;
  /** Set only if models chain calls: every model reads each schema on every connection. */
  readonly output: z.ZodObject | null;
  readonly effects: ToolEffects;
  /** Rate class of the operation, in addition to the read that every call counts as. */
  readonly rateClass: 'reads' | 'services' | 'heavy';
  /** Format of argument faults, as in the corresponding route. */
  readonly style: FaultStyle;
  /** True when its results contain text of others: of web pages, of imported rows. They are marked as data. */
  readonly holdsForeignText: boolean;
  /** Price of a call, for the documentation. */
  readonly charge: string;
  /**
   * Returns the maximum cost of a call, or a question before it removes something; null when there is neither. Requires
   * `max_credits` and `idempotency_key` in the input unless the charge is `free`.
   */
  readonly spend: ((input: z.output<Input>, call: ToolCall) => Promise<Spend | null>) | null;
  /**
   * @param plan from the result of `spend`
   * @throws AppError the error of the operation
   */
  run(input: z.output<Input>, call: ToolCall, plan: PlanJson | null): Promise<ToolAnswer>;
}

/** Tool without its input type: its functions accept what its schema has validated. */
export type AnyTool = Tool<z.ZodObject>;

/** Declares a tool. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): AnyTool {
  return tool as unknown as AnyTool;
}

/** Properties of most tools that cost nothing. */
export const FREE = {
  output: null,
  rateClass: 'reads',
  style: 'resources',
  charge: 'free',
  spend: null,
} as const satisfies Partial<AnyTool>;

const NOTHING: ToolEffects = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** Combinations of effects that tools have. */
export const EFFECTS = {
  reads: { ...NOTHING, readOnlyHint: true, idempotentHint: true },
  writes: NOTHING,
  writesOnce: { ...NOTHING, idempotentHint: true },
  spends: { ...NOTHING, openWorldHint: true },
  ends: { ...NOTHING, destructiveHint: true, idempotentHint: true },
} as const satisfies Record<string, ToolEffects>;

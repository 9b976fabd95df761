import type { FaultStyle, PlanJson } from '@quarry/dto';
import type { z } from 'zod';
import type { ToolCall } from './tool-call.js';

/** Effects of a tool, for clients that ask people before they call. Hints: nothing is decided by them. */
export interface ToolEffects {
  /** Changes nothing and costs nothing. */
  readOnlyHint: boolean;
  /** Removes or ends something. */
  destructiveHint: boolean;
  /** The same call again changes nothing further. */
  idempotentHint: boolean;
  /** Asks sources outside of this installation. */
  openWorldHint: boolean;
}

/** A call that spends or removes: the most that it can cost, or what it takes away. */
export interface Spend {
  /**
   * Asked in place of the price where a client can show forms, whatever the call costs. Others do the call: they have its
   * hint that it removes something.
   */
  question?: string;
  /** Credits that the call can cost at most. */
  worstCase: number;
  /** Purpose, as the person who decides reads it: `30 × getEmail`. */
  what: string;
  /** Parts of the estimate, for an agent that has to decide. */
  estimate: Readonly<Record<string, unknown>>;
  /** Priced plan, where that is kept: the call runs that and nothing else. */
  plan?: PlanJson;
}

/** Answer of a tool: an object that meets its output schema. */
export type ToolAnswer = Record<string, unknown>;

/** One tool, as data. Every field is required: a new tool cannot forget one. */
export interface Tool<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Text by which a model chooses and uses it. */
  readonly description: string;
  readonly input: Input;
  /** Only where a model chains calls: each schema is read by every model on every connection. */
  readonly output: z.ZodObject | null;
  readonly effects: ToolEffects;
  /** The class that the operation is counted in, beside the read that every call is. */
  readonly rateClass: 'reads' | 'services' | 'heavy';
  /** In which style faults of the arguments are told, as on the route beside it. */
  readonly style: FaultStyle;
  /** True where its answers hold text of others: of web pages, of imported rows. They are marked as data. */
  readonly holdsForeignText: boolean;
  /** Price of a call, for the documentation. */
  readonly charge: string;
  /**
   * The most that a call can cost, or what its user is asked before it removes something; null where there is neither. Needs
   * `max_credits` and `idempotency_key` in the input unless the charge is `free`.
   */
  readonly spend: ((input: z.output<Input>, call: ToolCall) => Promise<Spend | null>) | null;
  /**
   * @param plan what the spend names
   * @throws AppError what the operation refuses with
   */
  run(input: z.output<Input>, call: ToolCall, plan: PlanJson | null): Promise<ToolAnswer>;
}

/** A tool with its input type forgotten: its functions take what its schema has accepted. */
export type AnyTool = Tool<z.ZodObject>;

/** Declares a tool. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): AnyTool {
  return tool as unknown as AnyTool;
}

const NOTHING: ToolEffects = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};

/** The kinds of effects that tools have. */
export const EFFECTS = {
  reads: { ...NOTHING, readOnlyHint: true, idempotentHint: true },
  writes: NOTHING,
  writesOnce: { ...NOTHING, idempotentHint: true },
  spends: { ...NOTHING, openWorldHint: true },
  ends: { ...NOTHING, destructiveHint: true, idempotentHint: true },
} as const satisfies Record<string, ToolEffects>;

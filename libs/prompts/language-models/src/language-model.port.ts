/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool that a model may ask for. It is never run by the port: the caller runs it and sends its result. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** A tool that a model has asked for. `input` is parsed JSON and no more: the caller checks it against the tool's schema. */
export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** One message of a conversation with a model. All of it can be kept as JSON, so a journaled step can be told again. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly name: string; readonly text: string };

/** Request to a model in one call. */
export interface ModelAsk {
  readonly messages: readonly ModelMessage[];
  /** Tools that it may ask for; with none, or left out, it answers with text or the object. */
  readonly tools?: readonly ModelTool[];
  /** The object that is wanted, where one is: the answer then has `object`, which meets this schema. */
  readonly schema?: { readonly name: string; readonly schema: JsonSchema };
  readonly budget: {
    /** The most tokens that the answer may have. */
    readonly maxOutputTokens: number;
    /** Milliseconds since 1970 at which the answer must be there, retries included. */
    readonly deadlineMs: number;
  };
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** Tokens that one call has used. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Millionths of a US dollar by the price table; null where the model has no known price. */
  readonly costMicroUsd: number | null;
}

/** Answer of a model. */
export interface ModelAnswer {
  readonly text: string;
  /** The object that `schema` asked for; null where none was asked for, or tools are called first. */
  readonly object: unknown;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finish: 'stop' | 'tools' | 'length';
  readonly usage: ModelUsage;
}

/**
 * Why a model gave no answer. `unavailable`: not reached, 5xx, cut off, or its circuit is open. `rate_limited`: 429 until the
 * deadline. `timeout`: the deadline has passed. `rejected`: it refuses the request or the key (other 4xx).
 * `invalid_output`: it answered, but not with what the schema says; `text` is what it wrote.
 */
export type ModelFailure = 'unavailable' | 'rate_limited' | 'timeout' | 'rejected' | 'invalid_output';

/** Thrown by LanguageModel. Its message names the failure and no address, key or body of the endpoint. */
export class LanguageModelError extends Error {
  override readonly name = 'LanguageModelError';

  constructor(
    readonly failure: ModelFailure,
    message: string,
    /** Text that the model wrote, for one try to repair it; only with `invalid_output`. */
    readonly text: string | null = null,
    /** Tokens that the failed call has used, as far as they were told. */
    readonly usage: ModelUsage | null = null,
  ) {
    super(message);
  }
}

/** A language model behind any adapter. One call is one step: what loops over it is the caller's, who journals each step. */
export abstract class LanguageModel {
  /** The model as the operator has named it, such as `qwen3:32b`: told beside what it has made. */
  abstract readonly modelName: string;

  /**
   * @returns what the model answers to these messages
   * @throws LanguageModelError; the signal's reason once it is aborted
   */
  abstract completePrompt(ask: ModelAsk): Promise<ModelAnswer>;
}

/** JSON Schema (2020-12) as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Tool that a model may call. The port never runs it: the caller runs it and sends its result. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** Tool call of a model. `input` is parsed JSON only: the caller validates it against the tool's schema. */
export interface ModelToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Message of a conversation with a model. It is serialisable as JSON, so a journaled step can be replayed. */
export type ModelMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ModelToolCall[] }
  | { readonly role: 'tool'; readonly toolCallId: string; readonly name: string; readonly text: string };

/** Request to a model in one call. */
export interface ModelAsk {
  readonly messages: readonly ModelMessage[];
  /** Tools that the model may call; without any, it responds with text or the object. */
  readonly tools?: readonly ModelTool[];
  /** Schema of a requested object: the response then has `object`, which matches this schema. */
  readonly schema?: { readonly name: string; readonly schema: JsonSchema };
  readonly budget: {
    /** Maximum number of tokens of the response. */
    readonly maxOutputTokens: number;
    /** Deadline of the response, including retries, in milliseconds since 1970. */
    readonly deadlineMs: number;
  };
  /** Aborted when the caller no longer waits for the response. */
  readonly signal: AbortSignal;
}

/** Tokens used by one call. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Cost in millionths of a US dollar by the price table; null for a model without a known price. */
  readonly costMicroUsd: number | null;
}

/** Response of a model. */
export interface ModelAnswer {
  readonly text: string;
  /** Object that matches `schema`; null when none was requested, or the model calls tools first. */
  readonly object: unknown;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finish: 'stop' | 'tools' | 'length';
  readonly usage: ModelUsage;
}

/**
 * Reason why a model gave no response. `unavailable`: not reached, 5xx, connection broken, or its circuit is open.
 * `rate_limited`: 429 until the deadline. `timeout`: the deadline has passed. `rejected`: it rejects the request or the key
 * (other 4xx). `invalid_output`: it responded, but the response violates the schema; `text` is its response.
 */
export type ModelFailure = 'unavailable' | 'rate_limited' | 'timeout' | 'rejected' | 'invalid_output';

/** Error of LanguageModel. Its message contains the failure, but no address, key or body of the endpoint. */
export class LanguageModelError extends Error {
  override readonly name = 'LanguageModelError';

  constructor(
    readonly failure: ModelFailure,
    message: string,
    /** Text of the model, for one attempt to repair it; only with `invalid_output`. */
    readonly text: string | null = null,
    /** Tokens that the failed call used, if the endpoint reported them. */
    readonly usage: ModelUsage | null = null,
  ) {
    super(message);
  }
}

/** Language model with any adapter. Each call is one step: loops belong to the caller, which journals each step. */
export abstract class LanguageModel {
  /** Name that the operator configured, such as `qwen3:32b`; shown with results of the model. */
  abstract readonly modelName: string;

  /**
   * @returns the response of the model to these messages
   * @throws LanguageModelError; the signal's reason once it is aborted
   */
  abstract completePrompt(ask: ModelAsk): Promise<ModelAnswer>;
}

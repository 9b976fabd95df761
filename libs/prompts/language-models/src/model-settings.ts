/** The adapters that a model may be behind. `openai`: chat completions, which most servers speak; `anthropic`: messages. */
export const MODEL_ADAPTERS = ['openai', 'anthropic'] as const;
export type ModelAdapterName = (typeof MODEL_ADAPTERS)[number];

/** The one model that the operator has named. */
export interface ModelSettings {
  readonly adapter: ModelAdapterName;
  /** Address in front of `/chat/completions` or `/messages`, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** Null for a server that asks for none. */
  readonly key: string | null;
  /** As the endpoint calls it. */
  readonly name: string;
}

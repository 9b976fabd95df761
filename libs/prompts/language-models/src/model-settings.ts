/** Adapters for models. `openai`: chat completions, which most servers support; `anthropic`: messages. */
export const MODEL_ADAPTERS = ['openai', 'anthropic'] as const;
export type ModelAdapterName = (typeof MODEL_ADAPTERS)[number];

/** The model that the operator configured. */
export interface ModelSettings {
  readonly adapter: ModelAdapterName;
  /** Address before `/chat/completions` or `/messages`, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** Null for a server that needs no key. */
  readonly key: string | null;
  /** Name of the model at the endpoint. */
  readonly name: string;
}

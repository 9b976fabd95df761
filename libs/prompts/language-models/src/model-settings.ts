/** The wires that a model may be behind. `openai`: chat completions, which most servers speak; `anthropic`: messages. */
export const MODEL_WIRES = ['openai', 'anthropic'] as const;
export type ModelWireName = (typeof MODEL_WIRES)[number];

/** The one model that the operator has named. */
export interface ModelSettings {
  readonly wire: ModelWireName;
  /** Address in front of `/chat/completions` or `/messages`, such as `http://127.0.0.1:11434/v1`. */
  readonly url: string;
  /** Null for a server that asks for none. */
  readonly key: string | null;
  /** As the endpoint calls it. */
  readonly name: string;
}

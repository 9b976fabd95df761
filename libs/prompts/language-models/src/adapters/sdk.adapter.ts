import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelAnswer, ModelAsk } from '../language-model.port.js';
import type { ModelSettings, ModelAdapterName } from '../model-settings.js';
import { modelFetch } from './model-fetch.js';
import type { ModelAdapter } from './adapter.port.js';

type MakeModel = (settings: ModelSettings, ask: typeof fetch) => Promise<LanguageModelV4>;

/** Factories of models. Packages are loaded at the first call: a process that uses no model pays nothing for them. */
const MAKE: Readonly<Record<ModelAdapterName, MakeModel>> = {
  openai: async ({ url, key, name }, ask) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const provider = createOpenAICompatible({
      name: 'model',
      baseURL: url.replace(/\/+$/, ''),
      ...(key === null ? {} : { apiKey: key }),
      fetch: ask,
      supportsStructuredOutputs: true,
      transformRequestBody: (body) => openAiBody(url, name, body),
    });
    return provider.chatModel(name);
  },
  anthropic: async ({ url, key, name }, ask) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    // An empty key means no key; if it were undefined, the package would read an environment variable of its own.
    return createAnthropic({ baseURL: url.replace(/\/+$/, ''), apiKey: key ?? '', fetch: ask }).chat(name);
  },
};

/** Calls one model with the provider packages of the AI SDK: one request per call, without retries. */
export class SdkAdapter implements ModelAdapter {
  private readonly fetch: typeof fetch;
  private made: Promise<LanguageModelV4> | null = null;

  constructor(private readonly settings: ModelSettings) {
    this.fetch = modelFetch(settings.url);
  }

  async sendRequest(ask: ModelAsk, signal: AbortSignal): Promise<ModelAnswer> {
    const [{ sdkOptions }, { answerOf }, { failureOf }] = await Promise.all([
      import('./sdk-prompt.js'),
      import('./sdk-answer.js'),
      import('./adapter-failure.js'),
    ]);
    this.made ??= MAKE[this.settings.adapter](this.settings, this.fetch);
    const model = await this.made;
    try {
      return answerOf(await model.doGenerate(sdkOptions(ask, signal)), ask, this.settings.name);
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error);
    }
  }
}

/**
 * Adapts a request to OpenAI itself, whose reasoning models support neither `max_tokens` nor a temperature. Other servers
 * with this protocol do not support `max_completion_tokens`.
 */
function openAiBody(url: string, model: string, body: Record<string, unknown>): Record<string, unknown> {
  if (new URL(url).hostname !== 'api.openai.com') return body;
  const { max_tokens: most, temperature, ...rest } = body;
  const isReasoning = /^(o\d|gpt-5)/.test(model);
  return { ...rest, max_completion_tokens: most, ...(isReasoning ? {} : { temperature }) };
}

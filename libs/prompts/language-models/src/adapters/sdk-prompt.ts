import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import type { ModelAsk, ModelMessage } from '../language-model.port.js';

type JsonSchema7 = NonNullable<
  Extract<LanguageModelV4CallOptions['responseFormat'], { type: 'json' }>['schema']
>;

/** Makes responses as reproducible as a model allows. */
const TEMPERATURE = 0;

/** @returns the request in the types of the provider packages */
export function sdkOptions(ask: ModelAsk, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  const { messages, tools = [], schema, budget } = ask;
  return {
    prompt: messages.map(sdkMessage),
    maxOutputTokens: budget.maxOutputTokens,
    temperature: TEMPERATURE,
    abortSignal,
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            description,
            inputSchema: parameters as JsonSchema7,
          })),
          toolChoice: { type: 'auto' as const },
        }),
    ...(schema
      ? { responseFormat: { type: 'json', name: schema.name, schema: schema.schema as JsonSchema7 } }
      : {}),
    providerOptions: {
      // Strict mode rejects schemas with optional fields or open values; the response is validated here anyway.
      model: { strictJsonSchema: false },
      // The other mode rejects such schemas as well.
      anthropic: { structuredOutputMode: 'jsonTool' },
    },
  };
}

function sdkMessage(message: ModelMessage): LanguageModelV4Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text };
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...message.toolCalls.map(({ id, name, input }) => ({
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: name,
            input,
          })),
        ],
      };
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.toolCallId,
            toolName: message.name,
            output: { type: 'text', value: message.text },
          },
        ],
      };
  }
}

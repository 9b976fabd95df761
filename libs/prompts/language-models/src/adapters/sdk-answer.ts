import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { cleanText, parseBoundedJson } from '@quarry/resilience';
import type { ModelAnswer, ModelAsk, ModelToolCall, ModelUsage } from '../language-model.port.js';
import { costOf } from '../prices/price.catalogue.js';
import { schemaFault } from './schema-check.js';
import { ModelAdapterFailure } from './adapter.port.js';

/**
 * @returns the response of a model, in the types of the port
 * @throws ModelAdapterFailure `invalid_output` for arguments that are not JSON and for an object that is missing or
 *   violates the schema; `rejected` when the endpoint withheld the response
 */
export function answerOf(result: LanguageModelV4GenerateResult, ask: ModelAsk, model: string): ModelAnswer {
  const usage = usageOf(result, model);
  const { unified } = result.finishReason;
  if (unified === 'content-filter' || unified === 'error')
    throw new ModelAdapterFailure('rejected', 'The language model refuses to answer.', { usage });
  const text = cleanText(result.content.map((part) => (part.type === 'text' ? part.text : '')).join(''));
  const toolCalls = result.content.flatMap((part) =>
    part.type === 'tool-call' ? [toolCallOf(part, usage)] : [],
  );
  const finish = toolCalls.length > 0 ? 'tools' : unified === 'length' ? 'length' : 'stop';
  const object = ask.schema && toolCalls.length === 0 ? objectOf(text, ask.schema.schema, usage) : null;
  return { text, object, toolCalls, finish, usage };
}

function toolCallOf(
  { toolCallId: id, toolName: name, input }: { toolCallId: string; toolName: string; input: string },
  usage: ModelUsage,
): ModelToolCall {
  const read = input.trim() === '' ? {} : jsonIn(input);
  if (read === undefined)
    throw new ModelAdapterFailure(
      'invalid_output',
      'The language model asked for a tool without readable input.',
      { text: cleanText(input), usage },
    );
  return { id, name, input: cleanText(read) };
}

function objectOf(
  text: string,
  schema: NonNullable<ModelAsk['schema']>['schema'],
  usage: ModelUsage,
): unknown {
  const withoutThought = text.replace(/^[^]*<\/think>/, '');
  const object =
    jsonIn(text) ??
    jsonIn(withoutThought.slice(withoutThought.indexOf('{'), withoutThought.lastIndexOf('}') + 1));
  const fault = object === undefined ? 'it is no JSON' : schemaFault(schema, object);
  if (fault === null) return object;
  throw new ModelAdapterFailure('invalid_output', `The language model wrote no valid object: ${fault}.`, {
    text,
    usage,
  });
}

/**
 * @returns undefined for a text that is not JSON, or nested too deeply. Small models write a code fence or reasoning around
 *   it.
 */
function jsonIn(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

function usageOf({ usage }: LanguageModelV4GenerateResult, model: string): ModelUsage {
  const inputTokens = usage.inputTokens.total ?? 0;
  const outputTokens = usage.outputTokens.total ?? 0;
  return { inputTokens, outputTokens, costMicroUsd: costOf(model, inputTokens, outputTokens) };
}

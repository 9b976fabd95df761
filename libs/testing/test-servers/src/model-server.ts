import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { HttpSite, listenLocally } from './http-site.js';

/** A received request to a model. */
export interface ModelRequest {
  readonly path: string;
  /** Parsed JSON of the request. */
  readonly body: Readonly<Record<string, unknown>>;
  /** All sent text in order, including the system prompt. */
  readonly promptText: string;
  /** Number of earlier responses of the model in the conversation. */
  readonly turn: number;
  /** True if the header has the right key. */
  readonly hasKey: boolean;
  /** True if the key is somewhere else: in the URL, in another header, in the body. */
  readonly leaksKey: boolean;
}

/** Response of the server to a request. */
export type ModelTurn =
  | { readonly text: string; readonly isCutShort?: true }
  | { readonly object: unknown }
  | { readonly tools: ReadonlyArray<{ readonly name: string; readonly input: unknown }> }
  /** A status with headers, and a body that no caller should repeat. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  /** The raw body, instead of a response of the protocol. */
  | { readonly raw: string }
  /** A response of at least that many bytes. */
  | { readonly bytes: number }
  /** `cut`: the connection ends in the middle of the response. `hang`: it never responds. */
  | { readonly fails: 'cut' | 'hang' };

/** A promise delays the response until it resolves. */
export type ModelScript = (request: ModelRequest) => ModelTurn | Promise<ModelTurn>;

/** @returns a turn in which the model calls one tool */
export function callOf(name: string, input: unknown): ModelTurn {
  return { tools: [{ name, input }] };
}

/** Token usage in every response of the server. */
export const MODEL_TOKENS = { input: 120, output: 30 } as const;

/**
 * Simulates a language model over real HTTP, with the protocol of OpenAI's chat completions or of Anthropic's messages. It
 * responds as scripted, in order; after the end of the script the last function answers every request. Like the vendors,
 * it responds with 400 if the messages after a tool call do not contain its result.
 */
export class ModelServer extends HttpSite {
  readonly requests: ModelRequest[] = [];
  private script: ModelScript[] = [];

  private constructor(
    server: Server,
    readonly adapter: 'openai' | 'anthropic',
    readonly key: string,
  ) {
    super(server);
    server.on('request', (request, response) => void this.meet(request, response));
  }

  static async start(adapter: 'openai' | 'anthropic', key = 'sk-spec-key-0123456789'): Promise<ModelServer> {
    return new ModelServer(await listenLocally(), adapter, key);
  }

  /** Returns the address for MODEL_URL. */
  get url(): string {
    return `${this.origin}/v1`;
  }

  /** Resets the server and installs a script. */
  play(...script: ModelScript[]): void {
    this.requests.length = 0;
    this.script = script;
  }

  private async meet(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request).catch(() => '');
    const { authorization, 'x-api-key': apiKey, ...others } = request.headers;
    const shown = this.adapter === 'openai' ? authorization : apiKey;
    const body = JSON.parse(sent || '{}') as ModelRequest['body'];
    const noted: ModelRequest = {
      path: request.url ?? '',
      body,
      promptText: promptTextIn(body),
      turn: messagesIn(body).filter(({ role }) => role === 'assistant').length,
      hasKey: shown === (this.adapter === 'openai' ? `Bearer ${this.key}` : this.key),
      leaksKey: `${request.url}\n${JSON.stringify(others)}\n${sent}`.includes(this.key),
    };
    // At startup the product checks the model once: that request is not part of a script.
    if (noted.promptText.trim() === 'Answer with the word OK.')
      return this.send(response, { text: 'OK' }, body);
    const answer = this.script[Math.min(this.requests.length, this.script.length - 1)];
    this.requests.push(noted);
    const fault = this.adapter === 'openai' ? openAiFault(body) : anthropicFault(body);
    if (fault)
      return this.send(response, { status: 400, body: JSON.stringify({ error: { message: fault } }) }, body);
    this.send(response, (await answer?.(noted)) ?? { status: 500 }, body);
  }

  private send(response: ServerResponse, turn: ModelTurn, body: ModelRequest['body']): void {
    if ('fails' in turn) return turn.fails === 'hang' ? undefined : cut(response);
    if ('status' in turn)
      return void response
        .writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers })
        .end(turn.body ?? '{"error":{"message":"upstream detail"}}');
    response.writeHead(200, { 'content-type': 'application/json' });
    if ('raw' in turn) return void response.end(turn.raw);
    const played = 'bytes' in turn ? { text: 'a'.repeat(turn.bytes) } : turn;
    const answer = this.adapter === 'openai' ? openAiAnswer(played) : anthropicAnswer(played, body);
    response.end(JSON.stringify(answer));
  }
}

type Played = Extract<ModelTurn, { text: string } | { object: unknown } | { tools: unknown }>;

function cut(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"id":"', () => response.destroy());
}

function messagesIn({ messages = [] }: ModelRequest['body']): Array<{ role?: string; content?: unknown }> {
  return messages as Array<{ role?: string; content?: unknown }>;
}

function promptTextIn(body: ModelRequest['body']): string {
  const each = [body['system'], ...messagesIn(body).map(({ content }) => content)];
  return each
    .map((content) => (typeof content === 'string' ? content : textsIn(content).join('\n')))
    .join('\n');
}

function textsIn(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.map((part: { text?: unknown; content?: unknown }) => {
    if (typeof part.text === 'string') return part.text;
    return typeof part.content === 'string' ? part.content : textsIn(part.content).join('\n');
  });
}

/**
 * Checks the order of messages. Source: https://platform.openai.com/docs/guides/function-calling: messages of the role
 * tool directly follow the calls, one for each.
 * @returns the error; null if there is none
 */
function openAiFault({ messages = [] }: ModelRequest['body']): string | null {
  type Message = { role?: string; tool_call_id?: string; tool_calls?: Array<{ id: string }> };
  let open = new Set<string>();
  for (const { role, tool_call_id: answered = '', tool_calls: calls = [] } of [
    ...(messages as Message[]),
    { role: 'end' } as Message,
  ]) {
    if (role === 'tool' && !open.delete(answered)) return 'An answer belongs to no call.';
    if (role !== 'tool' && open.size > 0) return 'A call was not answered by the messages behind it.';
    if (role === 'assistant') open = new Set(calls.map(({ id }) => id));
  }
  return null;
}

/**
 * Checks the order of messages. Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use:
 * the next user message contains the result of every call, before any text.
 * @returns the error; null if there is none
 */
function anthropicFault(body: ModelRequest['body']): string | null {
  type Part = { type?: string; id?: string; tool_use_id?: string };
  let open = new Set<string>();
  for (const { role, content } of messagesIn(body)) {
    const parts = Array.isArray(content) ? (content as Part[]) : [];
    const results = parts.filter(({ type }) => type === 'tool_result');
    if (parts.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      return 'Answers to calls must stand first.';
    for (const { tool_use_id: answered = '' } of results)
      if (!open.delete(answered)) return 'An answer belongs to no call.';
    if (open.size > 0) return 'A call was not answered by the message behind it.';
    if (role === 'assistant')
      open = new Set(parts.flatMap(({ type, id }) => (type === 'tool_use' && id ? [id] : [])));
  }
  return open.size > 0 ? 'A call was not answered by the message behind it.' : null;
}

function openAiAnswer(turn: Played): unknown {
  const calls = 'tools' in turn ? turn.tools : [];
  const content = 'text' in turn ? turn.text : 'object' in turn ? JSON.stringify(turn.object) : null;
  const isShort = 'text' in turn && turn.isCutShort;
  const message = {
    role: 'assistant',
    content,
    ...(calls.length > 0
      ? {
          tool_calls: calls.map(({ name, input }, i) => ({
            id: `call_${i}`,
            type: 'function',
            function: { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
          })),
        }
      : {}),
  };
  const finish = calls.length > 0 ? 'tool_calls' : isShort ? 'length' : 'stop';
  return {
    id: 'chatcmpl-spec',
    object: 'chat.completion',
    created: 1,
    model: 'spec',
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: {
      prompt_tokens: MODEL_TOKENS.input,
      completion_tokens: MODEL_TOKENS.output,
      total_tokens: MODEL_TOKENS.input + MODEL_TOKENS.output,
    },
  };
}

/** Builds a response. An object is returned as a call of the tool "json", which is how the protocol requests a schema. */
function anthropicAnswer(turn: Played, body: ModelRequest['body']): unknown {
  const wantsTool = ((body['tools'] ?? []) as Array<{ name: string }>).some(({ name }) => name === 'json');
  const calls = 'tools' in turn ? turn.tools : 'object' in turn ? [{ name: 'json', input: turn.object }] : [];
  const isObjectAsText = 'object' in turn && !wantsTool;
  const isText = 'text' in turn || isObjectAsText;
  const content = isText
    ? [
        {
          type: 'text',
          text: 'text' in turn ? turn.text : JSON.stringify((turn as { object: unknown }).object),
        },
      ]
    : calls.map(({ name, input }, i) => ({ type: 'tool_use', id: `toolu_${i}`, name, input }));
  const isShort = 'text' in turn && turn.isCutShort;
  return {
    id: 'msg_spec',
    type: 'message',
    role: 'assistant',
    model: 'spec',
    content,
    stop_reason: isText ? (isShort ? 'max_tokens' : 'end_turn') : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: MODEL_TOKENS.input, output_tokens: MODEL_TOKENS.output },
  };
}

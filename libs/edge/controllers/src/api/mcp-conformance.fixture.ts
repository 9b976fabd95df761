import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type GetPromptResult,
  type InputRequiredResult,
  type ReadResourceResult,
  type ServerContext,
} from '@modelcontextprotocol/server';

// The public conformance suite expects these tools by name. It tests the transport; the product has none of them.

type Answer<Result> = Promise<Result | InputRequiredResult> | Result | InputRequiredResult;
type Call = (args: Record<string, unknown>, context: ServerContext) => Answer<CallToolResult>;

/** A picture of one pixel, and an empty sound. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const STEP_MS = 50;

const text = (value: string) => ({ type: 'text' as const, text: value });
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' };
const textResult = (value: string): CallToolResult => ({ content: [text(value)] });
const embedded = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
});

const form = (message: string, name: string, type: 'string' | 'boolean' = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: {
      type: 'object',
      properties: { [name]: type === 'string' ? { type: 'string' } : { type: 'boolean' } },
      required: [name],
    },
  });
const sampling = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });

const codec = createRequestStateCodec<{ step: number }>({
  key: 'of the conformance spec, 32 characters and more',
});

const answers = ({ mcpReq }: ServerContext) => mcpReq.inputResponses ?? {};
const nameIn = (context: ServerContext, key: string) => {
  const given = acceptedContent<{ name?: unknown }>(answers(context), key)?.name;
  return typeof given === 'string' ? given : null;
};
const capabilitiesOf = ({ mcpReq }: ServerContext) =>
  ((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<
    string,
    unknown
  >;

async function askedWithState(
  context: ServerContext,
  key: string,
  request: ReturnType<typeof form>,
  done: string,
): Promise<CallToolResult | InputRequiredResult> {
  if (context.mcpReq.requestState<{ step: number }>()?.step === 1 && answers(context)[key] !== undefined)
    return textResult(done);
  return inputRequired({ inputRequests: { [key]: request }, requestState: await codec.mint({ step: 1 }) });
}

async function severalRounds(context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const step = context.mcpReq.requestState<{ step: number }>()?.step ?? 0;
  if (step === 1 && answers(context).step1 !== undefined)
    return inputRequired({
      inputRequests: { step2: form('Step 2: What is your favourite colour?', 'color') },
      requestState: await codec.mint({ step: 2 }),
    });
  if (step === 2 && answers(context).step2 !== undefined) return textResult('Both steps are done.');
  return inputRequired({
    inputRequests: { step1: form('Step 1: What is your name?', 'name') },
    requestState: await codec.mint({ step: 1 }),
  });
}

async function several(context: ServerContext): Promise<CallToolResult | InputRequiredResult> {
  const given = answers(context);
  if (given.user_name !== undefined && given.greeting !== undefined && given.client_roots !== undefined)
    return textResult('All three were answered.');
  return inputRequired({
    inputRequests: {
      user_name: form('What is your name?', 'name'),
      greeting: sampling('Generate a greeting'),
      client_roots: inputRequired.listRoots(),
    },
    requestState: await codec.mint({ step: 1 }),
  });
}

const DEFAULTS_FORM = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, default: 'John Doe' },
    age: { type: 'integer' as const, default: 30 },
    score: { type: 'number' as const, default: 95.5 },
    status: { type: 'string' as const, enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean' as const, default: true },
  },
};

const titled = (...values: string[]) => values.map((each) => ({ const: each, title: `Choice ${each}` }));
const ONE = ['option1', 'option2', 'option3'];
const TWO = ['value1', 'value2', 'value3'];
const OLD = ['opt1', 'opt2', 'opt3'];
const CHOICES_FORM = {
  type: 'object' as const,
  properties: {
    untitledSingle: { type: 'string' as const, enum: ONE },
    titledSingle: { type: 'string' as const, oneOf: titled(...TWO) },
    legacyEnum: { type: 'string' as const, enum: OLD, enumNames: OLD.map((each) => `Choice ${each}`) },
    untitledMulti: { type: 'array' as const, items: { type: 'string' as const, enum: ONE } },
    titledMulti: { type: 'array' as const, items: { anyOf: titled(...TWO) } },
  },
};

/** Keywords of JSON Schema 2020-12 that a list of tools must preserve. */
const FULL_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

/** @returns a tool that shows a form and returns the user's answer */
const formTool =
  (message: string, requestedSchema: typeof DEFAULTS_FORM | typeof CHOICES_FORM): Call =>
  async (_args, { mcpReq }) => {
    const { action, content } = await mcpReq.elicitInput({ mode: 'form', message, requestedSchema });
    return textResult(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  };

const TOOLS: Readonly<Record<string, Call>> = {
  test_simple_text: () => textResult('This is a simple text response for testing.'),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }),
  test_error_handling: () => ({
    ...textResult('This tool intentionally returns an error for testing'),
    isError: true,
  }),
  test_tool_with_logging: async (_args, { mcpReq }) => {
    for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', line);
      await delay(STEP_MS);
    }
    return textResult('Logged.');
  },
  test_logging_tool: async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'Only for those who asked for it.');
    return textResult('Logged.');
  },
  test_tool_with_progress: async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
      await delay(STEP_MS);
    }
    return textResult('Done.');
  },
  test_sampling: async ({ prompt }, { mcpReq }) => {
    const { content } = await mcpReq.requestSampling({
      messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }],
      maxTokens: 100,
    });
    return textResult(`LLM response: ${JSON.stringify(content)}`);
  },
  test_elicitation: async ({ message }, { mcpReq }) => {
    const { action, content } = await mcpReq.elicitInput({
      mode: 'form',
      message: String(message),
      requestedSchema: {
        type: 'object',
        properties: { username: { type: 'string' }, email: { type: 'string' } },
        required: ['username', 'email'],
      },
    });
    return textResult(`User response: action=${action}, content=${JSON.stringify(content)}`);
  },
  test_elicitation_sep1034_defaults: formTool('Review the defaults.', DEFAULTS_FORM),
  test_elicitation_sep1330_enums: formTool('Choose.', CHOICES_FORM),
  json_schema_2020_12_tool: () => textResult('Its schema is all that is looked at.'),
  test_missing_capability: (_args, context) => {
    if (capabilitiesOf(context).sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return textResult('The capability is there.');
  },
  test_streaming_elicitation: async (_args, context) => {
    if (nameIn(context, 'user_name') !== null) return textResult('Answered.');
    return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
  },
  test_input_required_result_elicitation: (_args, context) => {
    const name = nameIn(context, 'user_name');
    if (name !== null) return textResult(`Hello, ${name}!`);
    return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
  },
  test_input_required_result_sampling: (_args, context) => {
    const given = answers(context).capital_question as { content?: { text?: string } } | undefined;
    if (given) return textResult(`The answer: ${given.content?.text ?? ''}`);
    return inputRequired({ inputRequests: { capital_question: sampling('What is the capital of France?') } });
  },
  test_input_required_result_list_roots: (_args, context) => {
    const given = answers(context).client_roots;
    if (given) return textResult(`The roots: ${JSON.stringify(given)}`);
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  test_input_required_result_request_state: (_args, context) =>
    askedWithState(context, 'confirm', form('Please confirm', 'ok', 'boolean'), 'state-ok'),
  test_input_required_result_tampered_state: (_args, context) =>
    askedWithState(context, 'confirm', form('Please confirm', 'ok', 'boolean'), 'state-ok'),
  test_input_required_result_multiple_inputs: (_args, context) => several(context),
  test_input_required_result_multi_round: (_args, context) => severalRounds(context),
  test_input_required_result_capabilities: (_args, context) => {
    const { sampling: samples, elicitation } = capabilitiesOf(context);
    if (Object.keys(answers(context)).length > 0) return textResult('Answered.');
    return inputRequired({
      inputRequests: {
        ...(samples === undefined ? {} : { greeting: sampling('Generate a greeting') }),
        ...(elicitation === undefined ? {} : { user_name: form('What is your name?', 'name') }),
      },
    });
  },
};

const ARGUMENTS: Readonly<Record<string, string>> = { test_sampling: 'prompt', test_elicitation: 'message' };

const RESOURCES: Readonly<Record<string, { mimeType: string; text?: string; blob?: string }>> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched.' },
};

const PROMPTS: Readonly<
  Record<
    string,
    {
      takes: string[];
      get: (args: Record<string, string>, context: ServerContext) => Answer<GetPromptResult>;
    }
  >
> = {
  test_simple_prompt: { takes: [], get: () => messages(text('This is a simple prompt for testing.')) },
  test_prompt_with_arguments: {
    takes: ['arg1', 'arg2'],
    get: ({ arg1, arg2 }) => messages(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  },
  test_prompt_with_embedded_resource: {
    takes: ['resourceUri'],
    get: ({ resourceUri }) =>
      messages(
        embedded(resourceUri ?? '', 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  },
  test_prompt_with_image: { takes: [], get: () => messages(image, text('Please analyze the image above.')) },
  test_input_required_result_prompt: {
    takes: [],
    get: (_args, context) => {
      const given = acceptedContent<{ context?: string }>(answers(context), 'user_context');
      if (given) return messages(text(`In the context of ${given.context}.`));
      return inputRequired({
        inputRequests: { user_context: form('What context should the prompt use?', 'context') },
      });
    },
  },
};

function messages(...content: Array<GetPromptResult['messages'][number]['content']>): GetPromptResult {
  return { messages: content.map((each) => ({ role: 'user', content: each })) };
}

function resourceAt(uri: string): ReadResourceResult {
  const known = RESOURCES[uri];
  if (known) return { contents: [{ uri, ...known } as ReadResourceResult['contents'][number]] };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { contents: [{ uri, mimeType: 'application/json', text: data }] };
}

/** @returns a server with everything that the suite needs, for the product's transport */
export function conformanceServer(): Server {
  const hint = { ttlMs: 1000, cacheScope: 'public' as const };
  const server = new Server(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
      requestState: { verify: codec.verify },
      cacheHints: {
        'tools/list': hint,
        'prompts/list': hint,
        'resources/list': hint,
        'resources/templates/list': hint,
        'resources/read': hint,
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: `The tool ${name} of the conformance suite.`,
      inputSchema:
        name === 'json_schema_2020_12_tool'
          ? FULL_SCHEMA
          : {
              type: 'object' as const,
              properties: ARGUMENTS[name] === undefined ? {} : { [ARGUMENTS[name]]: { type: 'string' } },
            },
    })),
  }));
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const call = TOOLS[params.name];
    if (!call) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return call(params.arguments ?? {}, context);
  });
  server.setRequestHandler('resources/list', () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
  }));
  server.setRequestHandler('resources/read', ({ params }) => resourceAt(params.uri));
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.entries(PROMPTS).map(([name, { takes }]) => ({
      name,
      description: `The prompt ${name} of the conformance suite.`,
      arguments: takes.map((argument) => ({ name: argument, required: true })),
    })),
  }));
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = PROMPTS[params.name];
    if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
    return prompt.get(params.arguments ?? {}, context);
  });
  server.setRequestHandler('completion/complete', () => ({ completion: { values: [] } }));
  return server;
}

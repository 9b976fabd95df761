import type { Type } from '@nestjs/common';
import {
  ErrorEnvelope,
  Event,
  EVENT_TYPES,
  idOf,
  idPatternOf,
  resourceSchemas,
  type JsonSchema,
} from '@quarry/dto';
import { notFound, resourceNameOf } from '@quarry/app';
import { ERROR_CODES, type ErrorCode } from '@quarry/error-codes';
import { allServices, jsonSchemasOf, type AnyService } from '@quarry/service-catalog';
import { RATE_CLASSES } from '../limits/rate-class.catalogue.js';
import { OUTPUT_FORMS } from './output-forms.js';
import { plainSchemas } from './plain-schema.js';
import { bodySchemaOf, fieldsOf } from './request-schema.js';
import { FILE_TYPES } from '../policy/route-policy.js';
import { routesOf, type DeclaredRoute } from './routes-of-controllers.js';

/** Source: public contract, Versioning. */
const API_VERSION = '1.0.0';

type Json = Record<string, unknown>;

const TAGS = {
  Runs: 'A prompt becomes a table of companies or people.',
  Plans: 'How a prompt is read and what it can cost, before anything runs.',
  Tables: 'Workspaces, tables, imports and exports.',
  Exclusions: 'Companies and people that are never sourced, and erasure of people.',
  Jobs: 'Slow services, run over lists of inputs as background jobs.',
  Services: 'The catalogue, and fast services, which answer at once.',
  Go: 'Questions answered from the web, with sources.',
  Providers: 'The vendors of each service, and your own keys at vendors.',
  Events: 'Events, as pages and as streams.',
  Monitors: 'Scheduled plans that report what is new.',
  Webhooks: 'Events, sent to addresses of yours.',
  Destinations: 'Rows of tables, pushed to a webhook, a CRM or a sequencer.',
  Sequences: 'Messages to people, approved by a person, and their replies.',
  Credits: 'The balance, what was charged, and spend caps.',
  Agents: 'The same account for agents, as tools.',
  Description: 'The description of this API.',
  Probes: 'Health checks for load balancers and schedulers.',
} as const;

const reference = (id: string): string => `#/components/schemas/${id}`;
const TEXT: Json = { type: 'string' };

/** Response headers, by name. */
const HEADERS: Readonly<Record<string, Json>> = {
  'X-Request-Id': { description: 'Quote it when you report a problem.', schema: TEXT },
  'RateLimit-Limit': { description: 'Requests allowed per minute.', schema: { type: 'integer' } },
  'RateLimit-Remaining': { description: 'Requests left in the current window.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until the window resets.', schema: { type: 'integer' } },
};
const LIMITED = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Request headers that some routes read. */
const REQUEST_HEADERS: Readonly<Record<string, Json>> = {
  'idempotency-key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same key with the same body gets the same answer for 24 hours, and nothing is created or charged twice.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    example: '7d3c1c1e-6a0e-4a57-8a7b-3f1f2f0f9d11',
  },
  'quarry-max-credits': {
    name: 'Quarry-Max-Credits',
    in: 'header',
    description:
      'Maximum cost of the run, in credits; with 0 only free work is done. The run completes with what fits.',
    schema: { type: 'number', minimum: 0, multipleOf: 0.001 },
    example: 25,
  },
  'last-event-id': {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Id of the last event received; the stream continues after it.',
    schema: { type: 'string' },
  },
  'service-fresh': {
    name: 'Service-Fresh',
    in: 'header',
    description: 'Forces a new, billed search for every line, even when a recent answer exists.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/**
 * Describes the public API from what its controllers declare: routes, request classes, resources, error codes, headers, rate
 * classes, and every service of the catalogue.
 * @returns an OpenAPI 3.1.1 document
 * @throws Error naming a route without a description, or a validation rule that has no equivalent in JSON Schema
 */
export function openApiDocument(controllers: readonly Type[]): Json {
  const paths: Record<string, Json> = {};
  const parts: Parts = { refusals: new Map([['Refused', OTHER_REFUSAL]]), bodies: {} };
  for (const route of routesOf(controllers))
    (paths[route.path] ??= {})[route.method] = operationOf(route, parts);
  const general = paths['/services/{name}'] as { get: Json; post: Json };
  for (const service of allServices().filter(({ mode }) => mode === 'fast'))
    paths[`/services/${service.name}`] = {
      // A fixed path hides the one with a parameter, so its description has to contain both operations.
      get: {
        ...general.get,
        operationId: `describe${capitalise(service.name)}`,
        parameters: undefined,
        'x-internal': true,
      },
      post: directCall(service, general.post),
    };
  return plainSchemas({
    openapi: '3.1.1',
    info: {
      title: 'Quarry',
      version: API_VERSION,
      summary: 'Prospecting and data services.',
      description:
        'Turns a prompt into a table of companies or people, and runs slow lookups as batches of background jobs, paid with credits. Every error has the same envelope: branch on its `code`. Retry a 429 or 503 after `Retry-After` seconds, and a POST only with an `Idempotency-Key`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This installation.' }],
    security: [{ key: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: Object.fromEntries(EVENT_TYPES.map((type) => [type, webhookOf(type)])),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'qk_live_…',
          description:
            'An API key. A test key (`qk_test_…`) works on separate test data, and is answered by the sandbox.',
        },
      },
      headers: HEADERS,
      responses: Object.fromEntries([...parts.refusals].sort(([a], [b]) => (a < b ? -1 : 1))),
      schemas: {
        ...withResults(resourceSchemas(reference)),
        ...parts.bodies,
        ...OUTPUT_FORMS,
        ...batchForms(),
        ...serviceSchemas(),
      },
    },
  });
}

/** Headers of webhook requests. Source: Standard Webhooks. */
const WEBHOOK_HEADERS: Readonly<Record<string, string>> = {
  'webhook-id': 'Id of the event, the same in every attempt.',
  'webhook-timestamp': 'Time of the attempt, in seconds since 1970.',
  'webhook-signature': '`v1,` and the HMAC-SHA-256 in base64; one for each secret, separated by spaces.',
};

/** Returns the description of the webhook message for an event. */
function webhookOf(type: string): Json {
  const event = { allOf: [{ $ref: reference(idOf(Event)) }, { properties: { type: { const: type } } }] };
  return {
    post: {
      operationId: `on${type.split(/[._]/).map(capitalise).join('')}`,
      tags: ['Webhooks'],
      summary: `Event ${type}.`,
      description: 'Sent to the webhooks that listen to it, at least once and in any order.',
      security: [],
      parameters: Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: TEXT,
      })),
      requestBody: { required: true, content: { 'application/json': { schema: event } } },
      responses: {
        '2XX': { description: 'Accepted.' },
        '4XX': { description: 'The event is sent again; 410 disables the webhook.' },
      },
    },
  };
}

/** Refusals that belong to no operation: a wrong method, a head that is too large, a range after the end. */
const OTHER_REFUSAL: Json = {
  description: 'Any other error.',
  headers: headersOf(false, {}),
  content: { 'application/json': { schema: { $ref: reference(idOf(ErrorEnvelope)) } } },
};

interface Parts {
  /** Error responses by name, because many routes share them. */
  refusals: Map<string, Json>;
  /** Schemas of bodies by class name. */
  bodies: Record<string, JsonSchema>;
}

function operationOf(route: DeclaredRoute, { refusals, bodies }: Parts): Json {
  const { documentation, policy } = route;
  const { summary, description, example, deprecated, isInternal } = documentation;
  const sentences = [description, policy.access === 'key' ? rateSentence(policy.rateClass) : undefined];
  return {
    operationId: route.id,
    tags: [tagOf(route)],
    summary,
    description: sentences.filter(Boolean).join(' ') || summary,
    ...(deprecated ? { deprecated } : {}),
    ...(isInternal ? { 'x-internal': true } : {}),
    'x-quarry': traitsOf(route),
    ...(policy.access === 'key' ? {} : { security: [] }),
    ...parametersOf(route),
    ...(policy.body ? { requestBody: requestBodyOf(route, example, bodies) } : {}),
    responses: {
      ...refusalsOf(route, refusals),
      ...answersOf(route),
      default: { $ref: '#/components/responses/Refused' },
    },
  };
}

/** Returns the facts that clients need before they call or retry an operation. */
function traitsOf({ policy, headers, query, method, documentation }: DeclaredRoute): Json {
  const { client, spends = false, isRepeatable = method !== 'post' } = documentation;
  const names = query ? [...fieldsOf(query).keys()] : [];
  return {
    ...(policy.access === 'key' ? { rate_class: policy.rateClass } : {}),
    spends,
    idempotent: isRepeatable ? 'always' : headers.includes('idempotency-key') ? 'by key' : 'never',
    paging: names.includes('cursor') ? 'cursor' : names.includes('offset') ? 'offset' : null,
    ...(client ? { sdk: client.sdk ?? null, command: client.command ?? null } : {}),
  };
}

/** Tags by the path of a route; the first match counts. */
const TAG_BY_PATH: ReadonlyArray<readonly [path: RegExp, tag: keyof typeof TAGS]> = [
  [/\/events$/, 'Events'],
  [/\/exports|^\/v1\/(enrichments|workspaces|tables)/, 'Tables'],
  [/^\/v1\/runs/, 'Runs'],
  [/^\/v1\/plans/, 'Plans'],
  [/^\/v1\/go/, 'Go'],
  [/^\/v1\/providers/, 'Providers'],
  [/^\/v1\/monitors/, 'Monitors'],
  [/^\/v1\/webhooks/, 'Webhooks'],
  [/^\/v1\/destinations/, 'Destinations'],
  [/^\/v1\/(mailboxes|sequences|contacts|suppressions|inbox)/, 'Sequences'],
  [/^\/v1\/(exclusions|erasures)/, 'Exclusions'],
  [/^\/v1\/services/, 'Jobs'],
  [/^\/services/, 'Services'],
  [/^\/mcp/, 'Agents'],
  [/^\/(credits|v1\/limits)/, 'Credits'],
  [/^\/(healthz|readyz)$/, 'Probes'],
];

function tagOf({ path }: DeclaredRoute): keyof typeof TAGS {
  return TAG_BY_PATH.find(([pattern]) => pattern.test(path))?.[1] ?? 'Description';
}

function rateSentence(rateClass: keyof typeof RATE_CLASSES): string {
  const { budget, concurrency } = RATE_CLASSES[rateClass];
  const atOnce = concurrency === null ? '' : `, ${concurrency} at once`;
  return `Rate class \`${rateClass}\`: ${budget} requests per minute and key${atOnce}.`;
}

function parametersOf({ path, ids, query, headers, documentation }: DeclaredRoute): Json {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const prefix = ids.get(name);
    const choices = documentation.choices?.[name];
    return {
      name,
      in: 'path',
      required: true,
      description: prefix ? `The ${resourceNameOf(prefix)}.` : documentation.path?.[name],
      schema: {
        ...TEXT,
        ...(prefix ? { pattern: idPatternOf(prefix) } : {}),
        ...(choices ? { enum: [...choices] } : {}),
      },
    };
  });
  const inQuery = [...(query ? fieldsOf(query) : [])].map(([name, { schema, required }]) => ({
    name,
    in: 'query',
    required,
    schema,
  }));
  const parameters = [...inPath, ...inQuery, ...headers.flatMap((name) => REQUEST_HEADERS[name] ?? [])];
  return parameters.length > 0 ? { parameters } : {};
}

function requestBodyOf(
  { id, body, policy }: DeclaredRoute,
  example: unknown,
  bodies: Record<string, JsonSchema>,
): Json {
  if (policy.body?.as === 'file') {
    const bytes = { schema: { type: 'string', format: 'binary' } };
    return { required: true, content: Object.fromEntries(FILE_TYPES.map((type) => [type, bytes])) };
  }
  const schema = schemaOfBody(id, body, bodies);
  return {
    required: true,
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}

function schemaOfBody(
  id: string,
  body: DeclaredRoute['body'],
  bodies: Record<string, JsonSchema>,
): JsonSchema {
  if (id === 'createBatch') return batchBody();
  if (!body && id !== 'importTable') return freeBody(id);
  const name = body?.name ?? 'ImportTableRequest';
  const schema = body ? withOutput(bodySchemaOf(body)) : freeBody(id);
  const known = bodies[name];
  if (known && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`Two request classes are called ${name}.`);
  bodies[name] = schema;
  return { $ref: reference(name) };
}

/** The `output` of a run or plan has one of two forms, which the runs service validates. */
function withOutput(body: JsonSchema): JsonSchema {
  const { properties } = body as { properties: Record<string, JsonSchema> };
  if (!properties.output) return body;
  const output = { oneOf: Object.keys(OUTPUT_FORMS).map((name) => ({ $ref: reference(name) })) };
  return { ...body, properties: { ...properties, output } };
}

/** Bodies without a class: an import is read as text, and the input of a service is validated by the service's schema. */
function freeBody(id: string): JsonSchema {
  if (id !== 'importTable') return { type: 'object' };
  const { kind, qualification } = resourceSchemas(reference).Column!.properties as Record<string, Json>;
  const name: Json = { type: 'string', minLength: 1, maxLength: 200 };
  return {
    type: 'object',
    properties: {
      name,
      columns: {
        type: 'array',
        minItems: 1,
        maxItems: 200,
        items: {
          type: 'object',
          properties: {
            key: { type: 'string', minLength: 1, maxLength: 64 },
            name,
            kind: { ...kind, description: 'Inferred from the values when omitted.' },
            qualification,
          },
          required: ['key', 'name'],
          additionalProperties: false,
        },
      },
      rows: {
        type: 'array',
        maxItems: 100_000,
        items: { type: 'object', description: 'Values by column key; a missing one is null.' },
      },
    },
    required: ['name', 'columns', 'rows'],
    additionalProperties: false,
  };
}

/** Has one form for each slow service, to describe its inputs. */
function batchBody(): JsonSchema {
  const forms = allServices().filter(({ mode }) => mode === 'slow');
  return {
    oneOf: forms.map(({ name }) => ({ $ref: reference(batchId(name)) })),
    discriminator: {
      propertyName: 'service',
      mapping: Object.fromEntries(forms.map(({ name }) => [name, reference(batchId(name))])),
    },
  };
}

function batchForms(): Record<string, JsonSchema> {
  const forms = allServices().filter(({ mode }) => mode === 'slow');
  return Object.fromEntries(
    forms.map(({ name }) => [
      batchId(name),
      {
        type: 'object',
        properties: {
          service: { type: 'string', const: name },
          inputs: { type: 'array', minItems: 1, maxItems: 100, items: { $ref: reference(inputId(name)) } },
        },
        required: ['service', 'inputs'],
        additionalProperties: false,
      },
    ]),
  );
}

function batchId(service: string): string {
  return `CreateBatchOf${capitalise(service)}Request`;
}

function answersOf({ documentation, policy }: DeclaredRoute): Json {
  const entries = Object.entries(documentation.answers).map(
    ([status, { description, body, isStream = false, headers = {} }]) => [
      status,
      {
        description,
        headers: headersOf(policy.access === 'key', headers),
        ...(body === null ? {} : { content: { ...contentOf(body), ...(isStream ? STREAM : {}) } }),
      },
    ],
  );
  return Object.fromEntries(entries) as Json;
}

const STREAM: Json = {
  'text/event-stream': {
    schema: { type: 'string', description: 'Server-sent events: the id, the type, and the event as JSON.' },
  },
};

function contentOf(body: NonNullable<DeclaredRoute['documentation']['answers'][number]['body']>): Json {
  if (body === 'json') return { 'application/json': { schema: { type: 'object' } } };
  if (body === 'message') return messageContent();
  if (body !== 'file') return { 'application/json': { schema: { $ref: reference(idOf(body)) } } };
  return {
    'text/csv': {
      schema: {
        type: 'string',
        format: 'binary',
        description:
          'RFC 4180, in UTF-8, with the column keys, or the headings chosen for the export, as header.',
      },
    },
    'application/json': { schema: { type: 'array', items: { type: 'object' } } },
  };
}

/** Refusals before the MCP code runs have the envelope of every other route. */
function messageContent(): Json {
  const message = {
    type: 'object',
    properties: {
      jsonrpc: { type: 'string', const: '2.0' },
      id: {},
      result: { type: 'object' },
      error: { type: 'object' },
    },
    required: ['jsonrpc'],
  };
  return {
    'application/json': { schema: { anyOf: [message, { $ref: reference(idOf(ErrorEnvelope)) }] } },
    'text/event-stream': { schema: { type: 'string', description: 'One message in each event.' } },
  };
}

function headersOf(isLimited: boolean, more: Readonly<Record<string, string>>): Json {
  const names = ['X-Request-Id', ...(isLimited ? LIMITED : [])];
  return {
    ...Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    ...Object.fromEntries(
      Object.entries(more).map(([name, description]) => [name, { description, schema: TEXT }]),
    ),
  };
}

/** Returns the error responses of a route: its own codes, and those of every route of its kind. */
function refusalsOf(
  { policy, documentation, headers, ids, query }: DeclaredRoute,
  refusals: Parts['refusals'],
): Json {
  const invalid: ErrorCode = policy.style === 'services' ? 'validation_error' : 'invalid_request';
  const codes = new Map<number, Set<ErrorCode>>();
  const add = (code: ErrorCode, status: number = ERROR_CODES[code].status): void => {
    codes.set(status, (codes.get(status) ?? new Set()).add(code));
  };
  add('internal_error');
  // A head that arrives too slowly.
  add('invalid_request', 408);
  if (policy.area === 'services') add('internal_error', 503);
  else add('runs_unavailable');
  if (policy.access === 'key') {
    add('not_authenticated');
    add('rate_limited');
    add('invalid_request');
    add(invalid);
    // The service behind the gateway is unavailable or slow.
    add('upstream_error');
  }
  if (policy.body) for (const status of [413, 415]) add('invalid_request', status);
  // A range after the end of a file.
  if (documentation.answers[206]) add('invalid_request', 416);
  if (headers.includes('idempotency-key')) add('idempotency_conflict');
  for (const prefix of ids.values()) add(notFound(prefix).code);
  if (query && fieldsOf(query).has('cursor')) add('invalid_cursor');
  for (const code of documentation.errors ?? []) add(code);
  const isLimited = policy.access === 'key';
  const entries = [...codes].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    entries.map(([status, known]) => {
      const sorted = [...known].sort();
      const name = [isLimited ? 'Refused' : 'Unready', status, ...sorted.map(pascalCase)].join('');
      refusals.set(name, refusalResponse(status, sorted, isLimited));
      return [String(status), { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function pascalCase(code: string): string {
  return code.split('_').map(capitalise).join('');
}

function refusalResponse(status: number, codes: ErrorCode[], isLimited: boolean): Json {
  const more: Record<string, string> =
    status === 429 || status === 503 || status === 409
      ? { 'Retry-After': 'Seconds to wait.' }
      : status === 401
        ? { 'WWW-Authenticate': 'The expected scheme: Bearer.' }
        : {};
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].title}.`).join(' '),
    'x-codes': codes,
    headers: headersOf(isLimited && status !== 401, more),
    content: {
      'application/json': {
        schema: { $ref: reference(idOf(ErrorEnvelope)) },
        example: { error: { code: codes[0], message: `${ERROR_CODES[codes[0]!].title}.` } },
      },
    },
  };
}

/** Returns the call of one fast service: the general call with the service's own schemas. */
function directCall(service: AnyService, general: Json): Json {
  const { 200: _any, ...refusals } = general.responses as Record<string, Json>;
  const parameters = (general.parameters as Json[]).filter((each) => each.in !== 'path');
  return {
    ...general,
    operationId: service.name,
    summary: `${service.title}.`,
    description: `${service.description} ${service.chargeRule}`,
    parameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: reference(inputId(service.name)) },
          example: service.examples[0],
        },
      },
    },
    responses: {
      200: {
        description: 'The answer and its cost.',
        headers: headersOf(true, {}),
        content: { 'application/json': { schema: { $ref: reference(`${capitalise(service.name)}Answer`) } } },
      },
      ...refusals,
    },
  };
}

/** A line has a result when it is completed, which is the answer of its service, and an error when it has failed. */
function withResults(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const line = schemas.JobLine as { properties: Record<string, JsonSchema>; required: string[] };
  const slow = allServices().filter(({ mode }) => mode === 'slow');
  const results = slow.map(({ name }) => ({ $ref: reference(outputId(name)) }));
  const { result: printed, error, ...common } = line.properties;
  const service = { type: 'string', enum: slow.map(({ name }) => name) };
  const result = { description: printed!.description, anyOf: [...results, { type: 'null' }] };
  const form = (statuses: string[], more: Record<string, JsonSchema>): JsonSchema => ({
    ...line,
    properties: { ...common, service, status: { type: 'string', enum: statuses }, ...more },
    required: [...line.required, ...Object.keys(more)],
  });
  const forms = {
    OpenJobLine: form(['queued', 'running', 'cancelled'], {}),
    CompletedJobLine: form(['completed'], { result }),
    FailedJobLine: form(['failed'], { error: error! }),
  };
  const mapping = Object.entries(forms).flatMap(([name, { properties }]) =>
    (properties as { status: { enum: string[] } }).status.enum.map((status) => [status, reference(name)]),
  );
  const names = Object.keys(forms).map((name) => ({ $ref: reference(name) }));
  const discriminator = { propertyName: 'status', mapping: Object.fromEntries(mapping) as Json };
  return { ...schemas, ...forms, JobLine: { oneOf: names, discriminator } };
}

function serviceSchemas(): Record<string, JsonSchema> {
  const named = allServices().flatMap((service): Array<[string, JsonSchema]> => {
    const { input, output } = jsonSchemasOf(service) as { input: JsonSchema; output: JsonSchema };
    const own: Array<[string, JsonSchema]> = [
      [inputId(service.name), { ...withoutDialect(input), examples: service.examples }],
      [outputId(service.name), withoutDialect(output)],
    ];
    return service.mode === 'slow'
      ? own
      : [...own, [`${capitalise(service.name)}Answer`, answerOf(service.name)]];
  });
  return Object.fromEntries(named.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function answerOf(name: string): JsonSchema {
  return {
    type: 'object',
    properties: {
      ok: { type: 'boolean', const: true },
      service: { type: 'string', const: name },
      output: { $ref: reference(outputId(name)) },
      credits: { $ref: reference('CallCredits') },
    },
    required: ['ok', 'service', 'output', 'credits'],
    additionalProperties: false,
  };
}

function withoutDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function inputId(service: string): string {
  return `${capitalise(service)}Input`;
}

function outputId(service: string): string {
  return `${capitalise(service)}Output`;
}

function capitalise(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

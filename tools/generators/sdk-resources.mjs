// The resources of the SDK and their methods, from the description of the API.
export const path = 'libs/contracts/sdk/src/resources.gen.ts';

/** Methods written by hand in `libs/contracts/sdk/src`: they do more than their operation, or have special types. */
const BY_HAND = /^(?:workspaces\.importFile|exports\.download|batches\.create|events\.list|go\.run)$/;

/** Call of a fast service by its name. Each call is charged, so it is only retried with a key of the caller. */
const CALL_OF_SERVICE = {
  about:
    'Calls a fast service. Each answer is charged: without a key a call is repeated only where the server has not begun it.',
  type: '<Name extends keyof Api.FastServices>',
  parameters: 'name: Name, input: Api.FastServices[Name][0], options?: CallOptions',
  answer: 'Promise<Api.FastServices[Name][1]>',
};

export function render(document) {
  const resources = new Map();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const [, resource, name] = /^(\w+)\.(\w+)/.exec(operation['x-quarry'].sdk ?? '') ?? [];
      // The generic call covers all fast services.
      if (path.startsWith('/services/') && method === 'post' && !path.includes('{')) continue;
      if (operation['x-internal'] || !resource) continue;
      // Proxies drop the body of a DELETE; a POST does the same.
      if (method === 'delete' && operation.requestBody) continue;
      const made = resources.get(resource) ?? { tag: operation.tags[0], methods: [] };
      // Events can be read of many resources, but are only the subject of their own.
      if (made.tag === 'Events') made.tag = operation.tags[0];
      resources.set(resource, made);
      if (!BY_HAND.test(`${resource}.${name}`))
        made.methods.push(...methodsOf(name, path, method, operation, document));
    }
  // The same order everywhere, which also compresses well.
  for (const { methods } of resources.values()) methods.sort((a, b) => placeOf(a) - placeOf(b));
  const about = new Map(document.tags.map(({ name, description }) => [name, description]));
  const types = [...resources].map(
    ([name, { tag, methods }]) => `/** ${about.get(pascalOf(name)) ?? about.get(tag)} */
export interface ${pascalOf(name)}Methods {
${methods.map((each) => `  /** ${each.about} */\n  ${each.name}${each.type ?? ''}(${each.parameters}): ${each.answer};\n`).join('\n')}}
`,
  );
  return `// Written by tools/generate-sdk.mjs from docs/openapi.json.
import type { QuarryEvent } from './events.js';
import type { PagesOf } from './pages.js';
import type { FollowOptions, FreshOptions, ResourceOperations, SpendOptions, WaitOptions } from './resource.js';
import type { CallOptions } from './transport.js';
import type * as Api from './types.gen.js';

type QueryOf<Data extends { query?: unknown }> = NonNullable<Data['query']>;

${types.join('\n')}
/** Resources by their names in \`Quarry\`: the path of each, and its operations. */
export const RESOURCES = {
${[...resources].map(([name, { methods }]) => `  ${name}: ${operationsOf(methods)} as ResourceOperations<${pascalOf(name)}Methods>,`).join('\n')}
};
`;
}

const FIRST = ['create', 'list', 'get', 'update', 'delete', 'cancel', 'wait', 'followEvents'];
const placeOf = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

function operationsOf(methods) {
  const base = methods.length === 0 ? '' : commonPath(methods.map((each) => each.path));
  const operations = methods.map(
    ({ name, kind, path }) => `    ${name}: '${`${kind} ${path.slice(base.length)}`.trim()}',\n`,
  );
  return `['${base}', {\n${operations.join('')}}]`;
}

/** @returns the leading folders that all paths share, without an id */
function commonPath(paths) {
  const [first, ...others] = paths.map((path) => path.split('/'));
  const end = first.findIndex((part, at) => part === '*' || others.some((other) => other[at] !== part));
  return first.slice(0, end < 0 ? undefined : end).join('/');
}

/** @returns the method of an operation, preceded by the methods that follow its result to the end */
function methodsOf(name, path, method, operation, { components }) {
  const parameters = (operation.parameters ?? []).map((each) =>
    each.$ref ? components.parameters[each.$ref.split('/').at(-1)] : each,
  );
  const has = (parameter) => parameters.some((each) => each.name.toLowerCase() === parameter);
  const type = `Api.${pascalOf(operation.operationId)}`;
  const ids = parameters
    .filter((each) => each.in === 'path')
    .map(
      (each) =>
        `${camelOf(each.name)}: ${each.schema.enum ? `${type}Data['path']['${each.name}']` : 'string'}`,
    );
  const common = { name, path: path.replace(/\{\w+\}/g, '*'), about: operation.summary };
  const answer = answerOf(operation, type);
  if (has('last-event-id'))
    return [
      {
        ...common,
        kind: 'follow',
        parameters: [...ids, 'options?: FollowOptions'].join(', '),
        answer: 'AsyncGenerator<QuarryEvent>',
      },
    ];

  if (operation.operationId === 'runService') return [{ ...common, kind: 'once', ...CALL_OF_SERVICE }];
  const body = operation.requestBody ? bodyOf(operation, type) : null;
  const asks = parameters.some((each) => each.in === 'query' && each.name !== 'wait_seconds');
  const query = asks
    ? `query${parameters.some((each) => each.in === 'query' && each.required) ? '' : '?'}: QueryOf<${type}Data>`
    : null;
  const isList =
    operation['x-quarry'].paging !== null && 'items' in (pageOf(operation, components)?.properties ?? {});
  const options = has('wait_seconds')
    ? 'WaitOptions'
    : has('quarry-max-credits')
      ? 'SpendOptions'
      : has('service-fresh')
        ? 'FreshOptions'
        : 'CallOptions';
  const made = {
    ...common,
    kind: kindOf(method, operation['x-quarry'].idempotent, { isList, asks, body }),
    parameters: [...ids, body, query, `options?: ${options}`].filter(Boolean).join(', '),
    answer: isList ? `PagesOf<${answer}>` : `Promise<${answer}>`,
  };
  if (method !== 'get' || !has('wait_seconds')) return [made];
  const wait = {
    ...common,
    name: 'wait',
    kind: 'wait',
    about: 'Returns it when it has ended, whatever its end is.',
  };
  return [made, { ...wait, parameters: [...ids, 'options?: CallOptions'].join(', '), answer: made.answer }];
}

/** @returns how a method calls its operation, see `Kind` of the SDK */
function kindOf(method, idempotent, { isList, asks, body }) {
  if (method === 'get') return isList ? 'pages' : asks ? 'query' : 'get';
  if (method !== 'post') return method;
  return { 'by key': ['trigger', 'make'], always: ['act', 'post'], never: ['repeat', 'once'] }[idempotent][
    body ? 1 : 0
  ];
}

/** @returns the parameter of the body, which is optional when its example is empty */
function bodyOf(operation, type) {
  const { schema, example } = Object.values(operation.requestBody.content)[0];
  const isOptional = example && Object.keys(example).length === 0;
  const name = schema.$ref?.split('/').at(-1);
  const isOfOneKind = new Set(wellsOf(operation).map(({ $ref }) => $ref)).size < 2;
  return `body${isOptional ? '?' : ''}: ${name ? `Api.${name}` : `${type}Data['body']`}${isOfOneKind ? '' : ' & { dry_run?: never }'}`;
}

function answerOf(operation, type) {
  const schema = wellOf(operation);
  if (!schema) return 'void';
  return schema.$ref ? `Api.${schema.$ref.split('/').at(-1)}` : `${type}Response`;
}

const pageOf = (operation, { schemas }) => schemas[wellOf(operation)?.$ref?.split('/').at(-1)];

/** @returns the schema of the successful answer: the last one, because a dry run has another one with status 200 */
const wellOf = (operation) => wellsOf(operation).at(-1);

function wellsOf({ responses }) {
  const statuses = Object.keys(responses).filter((each) => each.startsWith('2'));
  return statuses.flatMap((status) => responses[status].content?.['application/json']?.schema ?? []);
}

const pascalOf = (name) => `${name[0].toUpperCase()}${name.slice(1)}`;
const camelOf = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

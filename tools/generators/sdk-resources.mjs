// The resources of the SDK with their methods, from the description of the API.
import { publicApi } from '@quarry/controllers';

export const path = 'libs/contracts/sdk/src/resources.gen.ts';

/** Methods that `libs/contracts/sdk/src` writes by hand: they do more than their operation, or have types of their own. */
const BY_HAND =
  /^(?:batches\.|(?:workspaces\.importFile|tables\.enrich|exports\.download|events\.list|go\.run|services\.call)$)/;

export async function render() {
  const document = publicApi();
  const resources = new Map();
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      const [, resource, name] = /^(\w+)\.(\w+)/.exec(operation['x-quarry'].sdk ?? '') ?? [];
      if (operation['x-internal'] || BY_HAND.test(`${resource}.${name}`)) continue;
      // Proxies drop the body of a DELETE; a POST does the same.
      if (method === 'delete' && operation.requestBody) continue;
      const made = resources.get(resource) ?? { tag: operation.tags[0], methods: [] };
      made.methods.push(...methodsOf(name, path, method, operation, document));
      resources.set(resource, made);
    }
  const about = new Map(document.tags.map(({ name, description }) => [name, description]));
  const classes = [...resources].map(([resource, { tag, methods }]) => {
    const name = resource[0].toUpperCase() + resource.slice(1);
    return classOf(name, about.get(name) ?? about.get(tag), methods);
  });
  return `// Written by \`npm run generate\` from the description of the API.
import type { QuarryEvent } from './events.js';
import type { PagesOf } from './pages.js';
import { defineResource, type FollowOptions, type SpendOptions, type WaitOptions } from './resource.js';
import type { CallOptions } from './transport.js';
import type * as Api from './types.gen.js';

type QueryOf<Data extends { query?: unknown }> = NonNullable<Data['query']>;

${classes.join('\n')}`;
}

function classOf(name, about, methods) {
  const base = commonPath(methods.map((each) => each.path));
  const types = methods.map(
    ({ name, about, parameters, answer }) => `  /** ${about} */\n  ${name}(${parameters}): ${answer};\n`,
  );
  const operations = methods.map(
    ({ name, kind, path }) => `  ${name}: '${`${kind} ${path.slice(base.length)}`.trim()}',\n`,
  );
  return `interface ${name}Methods {
${types.join('\n')}}

/** ${about} */
export class ${name} extends defineResource<${name}Methods>('${base}', {
${operations.join('')}}) {}
`;
}

/** @returns the folders that all paths share, without an id */
function commonPath(paths) {
  const [first, ...others] = paths.map((path) => path.split('/'));
  const end = first.findIndex((part, at) => part === '*' || others.some((other) => other[at] !== part));
  return first.slice(0, end < 0 ? undefined : end).join('/');
}

/** @returns the method of an operation, and before it those that follow it to its end */
function methodsOf(name, path, method, operation, { components }) {
  const parameters = (operation.parameters ?? []).map((each) =>
    each.$ref ? components.parameters[each.$ref.split('/').at(-1)] : each,
  );
  const has = (parameter) => parameters.some((each) => each.name.toLowerCase() === parameter);
  const type = `Api.${operation.operationId[0].toUpperCase()}${operation.operationId.slice(1)}`;
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

/** @returns the way in which a method reaches its operation, see `Kind` of the SDK */
function kindOf(method, idempotent, { isList, asks, body }) {
  if (method === 'get') return isList ? 'pages' : asks ? 'query' : 'get';
  if (method !== 'post') return method;
  return { 'by key': ['trigger', 'make'], always: ['act', 'post'], never: ['repeat', 'once'] }[idempotent][
    body ? 1 : 0
  ];
}

/** @returns the parameter of what is sent; a body of which the description shows nothing may be left out */
function bodyOf(operation, type) {
  const { schema, example } = Object.values(operation.requestBody.content)[0];
  const isOptional = example && Object.keys(example).length === 0;
  const name = schema.$ref?.split('/').at(-1);
  return `body${isOptional ? '?' : ''}: ${name ? `Api.${name}` : `${type}Data['body']`}`;
}

function answerOf(operation, type) {
  const schema = wellOf(operation);
  if (!schema) return 'void';
  return schema.$ref ? `Api.${schema.$ref.split('/').at(-1)}` : `${type}Response`;
}

const pageOf = (operation, { schemas }) => schemas[wellOf(operation)?.$ref?.split('/').at(-1)];

/** @returns the schema of what answers well */
function wellOf({ responses }) {
  const status = Object.keys(responses).find((each) => each.startsWith('2'));
  return responses[status].content?.['application/json']?.schema;
}

const camelOf = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());

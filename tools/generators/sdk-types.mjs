// The types of the SDK, from the description of the API: successful answers of the operations that clients call.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

export const path = 'libs/contracts/sdk/src/types.gen.ts';

/** @param document the description of the API, which is not modified */
export async function render(document) {
  const input = structuredClone(document);
  for (const operations of Object.values(input.paths))
    for (const [method, operation] of Object.entries(operations)) {
      if (operation['x-internal']) delete operations[method];
      // All refusals have the same form, which the client converts to an error.
      else
        for (const status of Object.keys(operation.responses))
          if (!status.startsWith('2')) delete operation.responses[status];
    }
  delete input.components.responses;
  const folder = await mkdtemp(join(tmpdir(), 'quarry-sdk-types-'));
  try {
    const logs = { level: 'silent' };
    await createClient({ input, logs, output: { path: folder }, plugins: ['@hey-api/typescript'] });
    const types = await readFile(join(folder, 'types.gen.ts'), 'utf8');
    return `${withoutRepeats(types, input.paths)}\n${fastServices(input.paths)}\n${sdkMethods(input.paths)}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Omits the types of operations that only repeat others: an answer that has a name, and a request whose body has a name and
 * whose parameters are simple. The methods of the SDK use those names.
 */
function withoutRepeats(types, paths) {
  const repeats = new Set();
  for (const { operationId, parameters = [], responses } of Object.values(paths).flatMap(Object.values)) {
    const name = operationId[0].toUpperCase() + operationId.slice(1);
    if (!parameters.some(({ in: place, schema }) => place === 'query' || schema.enum))
      repeats.add(`${name}Data`);
    const contents = Object.values(responses).flatMap(({ content }) => Object.values(content ?? {}));
    if (contents.every(({ schema }) => schema.$ref)) repeats.add(`${name}Responses`).add(`${name}Response`);
  }
  return types
    .split(/\n\n(?=export type )/)
    .filter((each) => !repeats.has(/^export type (\w+)/.exec(each)?.[1]))
    .join('\n\n');
}

function fastServices(paths) {
  const names = Object.keys(paths).flatMap((each) => /^\/services\/(\w+)$/.exec(each)?.[1] ?? []);
  const members = names.sort().map((name) => {
    const type = name[0].toUpperCase() + name.slice(1);
    return `  ${name}: [${type}Input, ${type}Answer];`;
  });
  return `/** Fast services by name: their input, and their answer with its cost. */
export interface FastServices {
${members.join('\n')}
}
`;
}

/** @returns the methods named by the description, without which the SDK does not compile */
function sdkMethods(paths) {
  const methods = new Map();
  for (const operations of Object.values(paths))
    for (const { 'x-quarry': traits } of Object.values(operations)) {
      const [, resource, method] = /^(\w+)\.(\w+)/.exec(traits.sdk ?? '') ?? [];
      if (!resource) continue;
      methods.set(resource, (methods.get(resource) ?? new Set()).add(method));
    }
  const members = [...methods].map(
    ([resource, names]) => `  ${resource}: ${[...names].map((name) => `'${name}'`).join(' | ')};`,
  );
  return `/** Methods of the SDK that the operations of the API name, by resource. */
export interface SdkMethods {
${members.join('\n')}
}
`;
}

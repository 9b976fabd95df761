import type { Type } from '@nestjs/common';
import { RequestMethod } from '@nestjs/common';
import { MetadataScanner } from '@nestjs/core';
import type { ResourcePrefix } from '../http/request-params.decorators.js';
import { POLICY, type RoutePolicy } from '../policy/route-policy.js';
import type { RequestPipe } from '../validation/request.pipe.js';
import { DOCUMENTED, type Documentation } from './documented.decorator.js';

/** A route as its decorators declare it. */
export interface DeclaredRoute {
  /** Name of the operation, which is that of the method. */
  id: string;
  method: 'get' | 'post' | 'put' | 'delete';
  /** With `{name}` for a path parameter. */
  path: string;
  policy: RoutePolicy;
  documentation: Documentation;
  /** Prefixes of the ids in the path, by the name of the parameter. */
  ids: ReadonlyMap<string, ResourcePrefix>;
  /** Headers that the handler reads, in lower case. */
  headers: string[];
  query: (new () => object) | null;
  body: (new () => object) | null;
}

// Metadata keys and numbers of Nest 12's decorators; the spec of the document fails when they change.
const PATH = 'path';
const METHOD = 'method';
const ARGUMENTS = '__routeArguments__';
const ROUTE_CONFIG = '__fastify_route_config__';
const KIND = { body: '3', query: '4', path: '5', headers: '6' };

type Argument = {
  data?: unknown;
  pipes: Array<Partial<RequestPipe<unknown, object>> & { header?: string; prefix?: ResourcePrefix }>;
};

/**
 * @returns every route of the controllers, in the order of their declaration
 * @throws Error naming a route without a policy or a description
 */
export function routesOf(controllers: readonly Type[]): DeclaredRoute[] {
  const scanner = new MetadataScanner();
  return controllers.flatMap((controller) => {
    const prototype = controller.prototype as Record<string, object>;
    return scanner
      .getAllMethodNames(prototype)
      .filter((name) => Reflect.hasMetadata(METHOD, prototype[name]!))
      .map((name) => routeOf(controller, prototype[name]!, name));
  });
}

function routeOf(controller: Type, handler: object, name: string): DeclaredRoute {
  const read = <T>(key: string, from: object = handler): T | undefined =>
    Reflect.getMetadata(key, from) as T | undefined;
  const path = joinPaths(read<string>(PATH, controller) ?? '', read<string>(PATH) ?? '');
  const policy = read<{ [POLICY]?: RoutePolicy }>(ROUTE_CONFIG)?.[POLICY];
  const documentation = read<Documentation>(DOCUMENTED);
  if (!policy || !documentation) throw new Error(`${controller.name}.${name} (${path}) is not described.`);
  const args = Object.entries(
    (Reflect.getMetadata(ARGUMENTS, controller, name) ?? {}) as Record<string, Argument>,
  ).map(([key, argument]) => ({ kind: key.split(':')[0], ...argument }));
  const readBy = (kind: string) =>
    args.filter((each) => each.kind === kind).flatMap(({ pipes }) => pipes.map((pipe) => pipe.reads))[0] ??
    null;
  return {
    id: name,
    method: RequestMethod[read<RequestMethod>(METHOD)!].toLowerCase() as DeclaredRoute['method'],
    path,
    policy,
    documentation,
    ids: new Map(
      args
        .filter(({ kind }) => kind === KIND.path)
        .flatMap(({ data, pipes }) =>
          pipes.flatMap(({ prefix }) => (prefix ? [[String(data), prefix]] : [])),
        ),
    ),
    headers: args.flatMap(({ kind, data, pipes }) =>
      kind === KIND.headers ? String(data) : pipes.flatMap(({ header }) => header ?? []),
    ),
    query: readBy(KIND.query),
    body: readBy(KIND.body),
  };
}

function joinPaths(base: string, rest: string): string {
  const path = [base, rest]
    .join('/')
    .split('/')
    .filter((part) => part !== '')
    .map((part) => part.replace(/^:(.*)$/, '{$1}'));
  return `/${path.join('/')}`;
}

import { applyDecorators, Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FaultStyle, UserRole } from '@quarry/dto';
import type { BodyLimits } from '../body/request-body.js';
import type { AddressClass, RateClassName } from '../limits/rate-class.catalogue.js';

/** Facts about a route that the edge needs before its controller is called. */
export interface RoutePolicy {
  /**
   * `key`: a key, or a session below /app/api/{mode}/. `session`: a session only. `open`: neither, but limited by address.
   * `public`: not limited either; for probes.
   */
  access: 'key' | 'session' | 'open' | 'public';
  /**
   * The lowest role that may use it in the web application; by default viewer for reads and member for changes. Keys have all
   * rights of their organisation.
   */
  role: UserRole | 'by method';
  rateClass: RateClassName;
  /**
   * Area whose storage fails in an outage of the database: only runs and tables have an error code of their own for that.
   * Independent of the style, as a batch is a service that is validated like a resource. Source: the error table of the contract.
   */
  area: 'resources' | 'services' | 'none';
  style: FaultStyle;
  /** The body of the route; null when it takes none. */
  body: (BodyLimits & { as: 'object' | 'text' | 'file' | 'ignored' }) | null;
  /** `validated` when the controller validates the query; otherwise any parameter is refused. */
  query: 'validated' | 'none';
  /** `own`: pages of foreign origins are refused; `any`: a key is required, which no foreign page has. */
  origin: 'any' | 'own';
  /** True when the answer may wait for something to happen. The caller is checked again before it is sent. */
  isHeld: boolean;
  /** The address budget that a request counts against first. */
  addressClass: AddressClass;
}

const MIB = 1024 * 1024;
/** Values in an ordinary body. Source: docs/reliability.md, Bad input; 1 MiB of JSON rarely contains a tenth of it. */
const NODES_MAX = 200_000;

/** Bodies by content. Sizes: docs/contract.md#2-order-of-checks. */
export const BODIES = {
  ordinary: { bytesMax: MIB, nodesMax: NODES_MAX, as: 'object' },
  batch: { bytesMax: 4 * MIB, nodesMax: NODES_MAX, as: 'object' },
  // 100,000 rows of 200 cells, the rows themselves, and some for the columns. Passed on as text.
  import: { bytesMax: 64 * MIB, nodesMax: 100_000 * 201 + 10_000, as: 'text' },
  // The bytes of a CSV or XLSX file, passed on unchanged.
  file: { bytesMax: 64 * MIB, nodesMax: 0, as: 'file' },
  // Whatever a mail client posts for a one-click unsubscribe: only the address matters.
  ignored: { bytesMax: 64 * 1024, nodesMax: 0, as: 'ignored' },
} as const satisfies Record<string, RoutePolicy['body']>;

/** Media types of a file. No page of another origin can send them with a form. */
export const FILE_TYPES: readonly string[] = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
];

/** Policy of addresses without a route: they count as reads, and their bodies are not read. */
export const UNKNOWN_ROUTE_POLICY: RoutePolicy = {
  access: 'key',
  role: 'viewer',
  rateClass: 'reads',
  area: 'none',
  style: 'resources',
  body: null,
  query: 'validated',
  origin: 'any',
  isHeld: false,
  addressClass: 'ordinary',
};

const DEFAULTS: RoutePolicy = {
  ...UNKNOWN_ROUTE_POLICY,
  role: 'by method',
  area: 'resources',
  query: 'none',
};

/** Key of a route's policy in Fastify's route config. */
export const POLICY = 'quarryPolicy';

/**
 * Declares a route's policy; by default a read of a /v1 resource without query or body. Services use their own error style,
 * unless another is named.
 */
export function Policy(policy: Partial<RoutePolicy>): MethodDecorator {
  const style = policy.area === 'services' ? 'services' : DEFAULTS.style;
  return RouteConfig({ [POLICY]: { ...DEFAULTS, style, ...policy } });
}

/** Declares a route that answers JSON text. */
export function JsonRoute(policy: Partial<RoutePolicy> = {}): MethodDecorator {
  return applyDecorators(Policy(policy), Header('Content-Type', JSON_TYPE));
}

export const JSON_TYPE = 'application/json; charset=utf-8';

import { applyDecorators, Header } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FaultStyle, UserRole } from '@quarry/dto';
import type { BodyLimits } from '../body/request-body.js';
import type { AddressClass, RateClassName } from '../limits/rate-class.catalogue.js';

/** Facts about a route that the edge needs before its controller is called. */
export interface RoutePolicy {
  /**
   * `key`: a key, or below /app/api/{mode}/ a session. `session`: a session alone. `open`: neither, but the limit of
   * addresses. `public`: no limit either; for probes.
   */
  access: 'key' | 'session' | 'open' | 'public';
  /**
   * The least that a user must be to ask for it in the web application; by default a viewer for what only reads, and a
   * member for what changes something. Keys may all that their organisation may.
   */
  role: UserRole | 'by method';
  rateClass: RateClassName;
  /**
   * Area whose storage an outage of the database affects: only runs and tables have a code of their own for it. Apart
   * from the style, as a batch is a service that is validated like a resource. Source: the error table of the contract.
   */
  area: 'resources' | 'services' | 'none';
  style: FaultStyle;
  /** The body that the route takes; null when it takes none. */
  body: (BodyLimits & { as: 'object' | 'text' | 'file' | 'ignored' }) | null;
  /** `validated` where the controller validates the query; elsewhere any parameter is refused. */
  query: 'validated' | 'none';
  /** `own`: pages of foreign origins are refused; `any`: a key is needed, and that no page of others has. */
  origin: 'any' | 'own';
  /** Mark of a route whose answer may wait for something to happen. Whoever asked is looked at again before it is sent. */
  isHeld: boolean;
  /** Budget of its address that a request takes from before anything else. */
  addressClass: AddressClass;
}

const MIB = 1024 * 1024;
/** Values in an ordinary body. Source: docs/reliability.md, Bad input; 1 MiB of JSON rarely holds a tenth of it. */
const NODES_MAX = 200_000;

/** Bodies by what they carry. Sizes: docs/contract.md#2-order-of-checks. */
export const BODIES = {
  ordinary: { bytesMax: MIB, nodesMax: NODES_MAX, as: 'object' },
  batch: { bytesMax: 4 * MIB, nodesMax: NODES_MAX, as: 'object' },
  // 100,000 rows of 200 cells, the rows themselves, and room for the columns. Passed on as text.
  import: { bytesMax: 64 * MIB, nodesMax: 100_000 * 201 + 10_000, as: 'text' },
  // The bytes of a CSV or XLSX file, passed on as they are.
  file: { bytesMax: 64 * MIB, nodesMax: 0, as: 'file' },
  // Whatever a mail client posts with one click: the address alone says what it is for.
  ignored: { bytesMax: 64 * 1024, nodesMax: 0, as: 'ignored' },
} as const satisfies Record<string, RoutePolicy['body']>;

/** Media types of a file. No page of another origin can send it with a form. */
export const FILE_TYPES: readonly string[] = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
];

/** Applies to addresses without a route: they are counted like reads, and nothing of them is read. */
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

/** Key under which a route's policy travels in Fastify's route config. */
export const POLICY = 'quarryPolicy';

/**
 * Declares a route's policy; what is not named is a read of a /v1 resource without query and body. Services are
 * validated in their own style, unless another is named.
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

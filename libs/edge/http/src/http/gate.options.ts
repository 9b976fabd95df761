import type { ByteBudget } from '@quarry/app';
import type { KeySource, OpenSession } from '@quarry/identity';
import type { RateLimitStore } from '../limits/rate-limit.store.js';

/** Token of the {@link GateOptions} in the module of the application. */
export const GATE_OPTIONS = Symbol('quarry:gate-options');

/** Dependencies of the gate, which admits and counts requests. The creator of each part closes it. */
export interface GateOptions {
  keys: KeySource;
  /** Finds the open session of a token of the web application. */
  findSession: (token: string) => Promise<OpenSession | null>;
  /** Folder with the files of the web application; null when there is none. */
  webFolder: string | null;
  rateLimits: RateLimitStore;
  /** Multiplies every budget: windows, address limit and concurrency. */
  rateLimitScale: number;
  /** Networks of the proxies whose X-Forwarded-For is trusted. */
  trustedProxies: readonly string[];
  /** Origins of web pages that may use /mcp, in addition to those of this machine. */
  allowedOrigins: readonly string[];
  /** Called for every answer, with the route pattern (null when there is none), status and seconds. */
  onAnswered?: (method: string, route: string | null, status: number, seconds: number) => void;
  /** Called once with the memory budget that imports share. */
  onBudget?: (budget: ByteBudget) => void;
}

import type { ByteBudget } from '@quarry/app';
import type { KeySource, OpenSession } from '@quarry/identity';
import type { RateLimitStore } from '../limits/rate-limit.store.js';

/** Name of the {@link GateOptions} in the module of the application. */
export const GATE_OPTIONS = Symbol('quarry:gate-options');

/** Parts by which requests are let in and counted. Whoever passes a part closes it. */
export interface GateOptions {
  keys: KeySource;
  /** Finds the open session of a token of the web application. */
  findSession: (token: string) => Promise<OpenSession | null>;
  /** Folder with the files of the web application; null where there is none. */
  webFolder: string | null;
  rateLimits: RateLimitStore;
  /** Multiplies every budget: windows, address limit and concurrency. */
  rateLimitScale: number;
  /** Networks of the proxies whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** Web pages that may use /mcp, beside those of this machine. */
  allowedOrigins: readonly string[];
  /** Told of every answer: the route with its parameters' names, null where there is none. Seconds. */
  onAnswered?: (method: string, route: string | null, status: number, seconds: number) => void;
  /** Told once of the bytes that imports share. */
  onBudget?: (budget: ByteBudget) => void;
}

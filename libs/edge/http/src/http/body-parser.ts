import type { IncomingMessage } from 'node:http';
import { faultsError, unrecognizedKey } from '@quarry/dto';
import { parseJson } from '@quarry/app';
import type { FastifyRequest } from 'fastify';
import { checkJsonText, decodeText, readBytes } from '../body/request-body.js';
import { BODIES } from '../policy/route-policy.js';
import './request-state.js';

/**
 * Fastify parser for every body. Size, time, encoding and well-formedness are checked by the route's policy.
 * @returns the parsed object, or text or bytes for routes that pass them on
 */
export function bodyParser(timeouts: { bodyMs: number; importBodyMs: number }) {
  return async ({ policy }: FastifyRequest, payload: IncomingMessage): Promise<unknown> => {
    const limits = policy.body ?? BODIES.ordinary;
    const isImport = limits.as === 'text' || limits.as === 'file';
    const timeoutMs = isImport ? timeouts.importBodyMs : timeouts.bodyMs;
    // No reference is kept here, so that the bytes of an import can be freed beside its text.
    const bytes = readBytes(payload, limits.bytesMax, timeoutMs);
    if (limits.as === 'ignored') return void (await bytes);
    if (limits.as === 'file') return bytes;
    const text = await bytes.then(decodeText);
    // An empty body is fine for a route that takes none.
    if (policy.body === null && text === '') return undefined;
    await checkJsonText(text, limits.nodesMax, policy.style);
    if (limits.as === 'text') return text;
    const body = parseJson(text) as Record<string, unknown>;
    const unknown = policy.body === null ? Object.keys(body).map((key) => unrecognizedKey(key)) : [];
    if (unknown.length > 0) throw faultsError(policy.style, unknown);
    return body;
  };
}

import type { IncomingMessage } from 'node:http';
import { detail, faultCode, faultsError, pathText, unrecognizedKey, type FaultStyle } from '@quarry/dto';
import { AppError, excerpt, type ErrorDetail } from '@quarry/error-codes';
import { GatheredBytes } from './gathered-bytes.js';
import { JsonScan, type JsonFault } from './json-scan.js';

/** Limits of a route's body. */
export interface BodyLimits {
  bytesMax: number;
  /** Values (objects, lists and scalars) in the document. */
  nodesMax: number;
}

// 256 Ki characters take about a millisecond, after which other requests get their turn.
const SCAN_SLICE = 256 * 1024;
// Keeps a BOM, so that the scan refuses it: JSON has none (RFC 8259, section 8.1).
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the body of a request.
 * @param bytesMax a longer body is refused with 413, unread
 * @param timeoutMs milliseconds for the sender
 * @throws AppError invalid_request with 413, 408, or 400 when the sender disconnects
 */
export function readBytes(request: IncomingMessage, bytesMax: number, timeoutMs: number): Promise<Buffer> {
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
  // A sender that has disconnected before emits no further event.
  if (request.destroyed && !request.readableEnded) return Promise.reject(unreadableBody());
  return new Promise((resolve, reject) => {
    const gathered = new GatheredBytes(announced);
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken);
      settle();
    };
    const onData = (chunk: Buffer) => {
      if (gathered.bytes + chunk.length > bytesMax) finish(() => reject(tooLarge(bytesMax)));
      else gathered.add(chunk);
    };
    const onEnd = () => finish(() => resolve(gathered.take()));
    const onBroken = () => finish(() => reject(unreadableBody()));
    const timer = setTimeout(() => finish(() => reject(tooSlow(timeoutMs))), timeoutMs);
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken);
  });
}

/** @throws AppError invalid_request when the bytes are not UTF-8 */
export function decodeText(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw unreadableBody();
  }
}

/**
 * Checks that a text is one JSON object that can be stored.
 * @param style error style of the route
 * @throws AppError naming the fault and its path
 */
export async function checkJsonText(text: string, nodesMax: number, style: FaultStyle): Promise<void> {
  const scan = new JsonScan(text, nodesMax);
  for (;;) {
    const state = scan.advance(SCAN_SLICE);
    if (state === true) break;
    if (state !== false) throw faultError(state, style);
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!/^[ \t\n\r]*\{/.test(text)) {
    const message = 'The body must be a JSON object.';
    throw new AppError(faultCode(style), message, { details: [detail(style, [], message)] });
  }
}

function faultError(fault: JsonFault, style: FaultStyle): AppError {
  if (fault.kind === 'unreadable') {
    const isPlain = fault.path.length === 0;
    const details: ErrorDetail[] = isPlain ? [] : [detail(style, fault.path, fault.message)];
    return new AppError('invalid_request', fault.message, { details });
  }
  if (fault.kind === 'unrecognized')
    return faultsError(style, [unrecognizedKey('__proto__', [], fault.path)]);
  const message = `${excerpt(pathText(fault.path))} ${fault.message}`.trimStart();
  return faultsError(style, [{ path: fault.path, message }]);
}

/** @returns the refusal of a body that is not JSON; the contract defines its message */
export function unreadableBody(): AppError {
  return new AppError('invalid_request', 'The body must be valid JSON.');
}

function tooLarge(bytesMax: number): AppError {
  return new AppError('invalid_request', `The body must not be larger than ${bytesMax} bytes.`, {
    status: 413,
  });
}

function tooSlow(timeoutMs: number): AppError {
  return new AppError('invalid_request', `The body did not arrive within ${timeoutMs / 1000} s.`, {
    status: 408,
    headers: { Connection: 'close' },
  });
}

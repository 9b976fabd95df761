import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@quarry/error-codes';
import { errorAnswer } from './error-answer.js';
import { LINGERING_CLOSE_MS } from './lingering-close.js';
import { newRequestId } from './request-id.js';
import { JSON_TYPE } from '../policy/route-policy.js';

const REASONS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
};

/** Sockets of refused clients that are still sending. */
const lingering = new WeakSet<Duplex>();

/** Answers requests that never reach Fastify: an unreadable request line, headers that are too large or too slow. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code !== 'ECONNRESET' && lingering.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  // Must not be mixed into a response that has started.
  const current = (socket as { _httpMessage?: { headersSent: boolean } | null })._httpMessage;
  if (current?.headersSent) return void socket.destroy();
  answerSocket(socket, clientError(error.code));
}

/** Refuses CONNECT and protocol upgrades, which are not supported. */
export function refuseTunnel(_request: IncomingMessage, socket: Duplex): void {
  // The parser has detached from the socket, so nothing else handles its errors now.
  socket.on('error', () => socket.destroy());
  answerSocket(
    socket,
    new AppError('invalid_request', 'This server neither tunnels nor upgrades connections.'),
  );
}

/** Answers an Expect header other than 100-continue. */
export function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const { body } = errorAnswer(
    new AppError('invalid_request', 'The expectation cannot be met.', { status: 417 }),
  );
  response.writeHead(417, {
    'Content-Type': JSON_TYPE,
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': newRequestId(),
    Connection: 'close',
  });
  response.end(body);
}

/** Ignores h2c offers, as RFC 9110 section 7.8 allows: some clients send one with every plain request. */
export function isUpgradeRefused(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() !== 'h2c';
}

function clientError(code: string | undefined): AppError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('invalid_request', 'The request did not arrive in time.', { status: 408 });
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('invalid_request', 'The request headers are too large.', { status: 431 });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('invalid_request', 'The chunk extensions are too large.', { status: 413 });
    default:
      return new AppError('invalid_request', 'The request cannot be read as HTTP.');
  }
}

function answerSocket(socket: Duplex, error: AppError): void {
  const { status, body } = errorAnswer(error);
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? 'Error'}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${newRequestId()}`,
    'Connection: close',
  ];
  lingering.add(socket);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGERING_CLOSE_MS);
  socket.once('close', () => clearTimeout(timer)).resume();
}

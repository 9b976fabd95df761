// The load generator, in a separate process so that its CPU is not counted for any side. A closed loop: each connection sends
// its next request when it has received the last response.
import { connect } from 'node:net';
import { serveCommands } from './child-process.mjs';
import { quantile } from './statistics.mjs';

await serveCommands(() => Promise.resolve({ answer: run }));

/**
 * @param {{ port: number, path: string, headers: Record<string, string>, body?: string, connections: number, ms: number, countsRefused?: true }} load
 * `countsRefused`: a 429 is counted, and the request is sent again at once; otherwise a 429 ends the load
 */
async function run(load) {
  const { body = '' } = load;
  const length = load.body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries({ Host: `127.0.0.1:${load.port}`, ...length, ...load.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const method = load.body === undefined ? 'GET' : 'POST';
  const request = Buffer.from(`${method} ${load.path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  const latenciesMs = [];
  const refused = load.countsRefused ? [] : null;
  const startedAt = performance.now();
  const until = startedAt + load.ms;
  const loops = Array.from({ length: load.connections }, () =>
    loop(load.port, request, until, { latenciesMs, refused }),
  );
  await Promise.all(loops);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    operations: latenciesMs.length,
    seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    ...(refused && { refused: refused.length }),
  };
}

function loop(port, request, until, { latenciesMs, refused }) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let received = '';
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.once('connect', send);
    socket.once('error', reject);
    socket.once('close', resolve);
    socket.on('data', (chunk) => {
      received += chunk;
      if (!isWhole(received)) return;
      const isRefused = refused !== null && received.startsWith('HTTP/1.1 429 ');
      if (!isRefused && !received.startsWith('HTTP/1.1 200 ')) {
        reject(new Error(`Not the expected answer: ${received.slice(0, 500)}`));
        return socket.destroy();
      }
      const now = performance.now();
      (isRefused ? refused : latenciesMs).push(now - sentAt);
      received = '';
      if (now < until) send();
      else socket.end();
    });
  });
}

/** @returns {boolean} whether head and body are complete; a body without a length ends with its last chunk */
function isWhole(text) {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const head = text.slice(0, headEnd);
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return text.endsWith('\r\n0\r\n\r\n');
  return text.length >= headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
}

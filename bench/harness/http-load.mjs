// The load generator, a process of its own so that its CPU is nobody's: a closed loop, each connection sends its
// next request when its last answer has arrived.
import { connect } from 'node:net';
import { serveCommands } from './child-process.mjs';
import { quantile } from './figures.mjs';

await serveCommands(() => Promise.resolve({ answer: run }));

/** @param {{ port: number, path: string, headers: Record<string, string>, connections: number, ms: number }} load */
async function run(load) {
  const lines = Object.entries({ Host: `127.0.0.1:${load.port}`, ...load.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const request = Buffer.from(`GET ${load.path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const latenciesMs = [];
  const startedAt = performance.now();
  const until = startedAt + load.ms;
  const loops = Array.from({ length: load.connections }, () => loop(load.port, request, until, latenciesMs));
  await Promise.all(loops);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    operations: latenciesMs.length,
    seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
  };
}

function loop(port, request, until, latenciesMs) {
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
      const answerLength = lengthOf(received);
      if (answerLength === null || received.length < answerLength) return;
      if (!received.startsWith('HTTP/1.1 200 ')) {
        reject(new Error(`Not the expected answer: ${received.slice(0, 500)}`));
        return socket.destroy();
      }
      const now = performance.now();
      latenciesMs.push(now - sentAt);
      received = '';
      if (now < until) send();
      else socket.end();
    });
  });
}

/** @returns {number | null} length of head and body, when the head is complete */
function lengthOf(text) {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  return headEnd + 4 + Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd))?.[1] ?? 0);
}

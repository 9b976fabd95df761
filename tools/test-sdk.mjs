// Tests the SDK in all runtimes that npm provides: Node 20 and 24, Bun, Deno. Installs them into a temporary folder, about
// 300 MB. Run it when libs/contracts/sdk has changed: npm run test:sdk
import { execFileSync, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';

const RUNTIMES = { node20: 'node@20.20.2', node24: 'node@24.21.0', bun: 'bun@1.4.5', deno: 'deno@2.9.6' };

const root = await prepare();
const folder = mkdtempSync(join(tmpdir(), 'quarry-sdk-'));
const npm = (...args) =>
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] }).toString();
try {
  const [packed] = npm('pack', root + '/libs/contracts/sdk', '--json', '--loglevel=error').match(
    /quarry-sdk-[\d.]+\.tgz/,
  );
  copyFileSync(join(root, 'libs/contracts/sdk/runtimes/check.mjs'), join(folder, 'check.mjs'));
  const server = scriptedServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  for (const [name, source] of Object.entries(RUNTIMES)) {
    const home = join(folder, name);
    npm(
      'install',
      '--prefix',
      home,
      join(folder, packed),
      source,
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--foreground-scripts',
    );
    copyFileSync(join(folder, 'check.mjs'), join(home, 'check.mjs'));
    const [program, ...flags] = { deno: ['deno', 'run', '--allow-all'], bun: ['bun'] }[name] ?? ['node'];
    const env = { ...process.env, CHECK: JSON.stringify([url, ...signedMessage()]) };
    const child = spawn(join(home, 'node_modules/.bin', program), [...flags, 'check.mjs'], {
      cwd: home,
      env,
      stdio: 'inherit',
    });
    const [code] = await once(child, 'exit');
    console.log(`${source}: ${code === 0 ? 'good' : 'failed'}`);
    if (code !== 0) process.exitCode = 1;
  }
  server.closeAllConnections();
  server.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @returns a signed message with its headers, and its secret */
function signedMessage() {
  const key = randomBytes(32);
  const [body, at] = [JSON.stringify({ id: 'evt_1' }), String(Math.floor(Date.now() / 1000))];
  const signature = createHmac('sha256', key).update(`evt_1.${at}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` };
  return [{ body, headers }, `whsec_${key.toString('base64')}`];
}

function scriptedServer() {
  let cuts = 0;
  const json = (response, body, status = 200) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
      .end(JSON.stringify(body));
  return createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost');
    request.resume();
    if (request.method === 'POST')
      return (cuts += 1) % 2 ? request.socket.destroy() : json(response, { id: 'run_1' }, 202);
    if (pathname === '/v1/runs/missing')
      return json(response, { error: { code: 'run_not_found', message: 'No.', details: [] } }, 404);
    if (pathname === '/v1/runs/stall') return response.writeHead(200).write('{');
    if (pathname === '/v1/runs') {
      const offset = Number(searchParams.get('offset') ?? 0);
      const items = Array.from({ length: 1_000 }, (_, at) => ({ id: offset + at }));
      return json(response, { items, next_offset: offset < 9_000 ? offset + 1_000 : null });
    }
    if (pathname.endsWith('/events')) {
      const after = Number(request.headers['last-event-id'] ?? 0);
      const seqs = Array.from({ length: 20 - after }, (_, at) => after + at + 1);
      const text = seqs.map((seq) => `id: ${seq}\ndata: {"seq":${seq}}\n\n`).join('');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (after >= 14) return response.end(`${text}event: end\ndata: {}\n\n`);
      return response.write(`retry: 1\n\n${text.slice(0, 185)}`, () =>
        setTimeout(() => request.socket.destroy(), 50),
      );
    }
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { etag: '"a"', 'content-length': 1_000_000 - from });
    if (from > 0) return response.end(Buffer.alloc(1_000_000 - from));
    response.write(Buffer.alloc(400_000), () => setTimeout(() => request.socket.destroy(), 50));
  });
}

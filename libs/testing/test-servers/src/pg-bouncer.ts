import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@quarry/local-postgres';
import { waitFor } from './wait-for.js';

/** Paths of Debian's package, which may not be on the PATH. */
const PROGRAMS = [process.env.QUARRY_PGBOUNCER, 'pgbouncer', '/usr/sbin/pgbouncer'];
/** First version that supports prepared statements in transaction mode. */
const KEEPS_STATEMENTS_FROM = [1, 21] as const;
/** PgBouncer does not run as root. 65534 is `nobody` on every Linux. */
const NOBODY = 65534;

export interface PgBouncerProgram {
  path: string;
  version: string;
  keepsStatements: boolean;
}

/** @returns the PgBouncer of this machine, or null; QUARRY_PGBOUNCER names another one */
export function findPgBouncer(): PgBouncerProgram | null {
  for (const path of PROGRAMS) {
    if (path === undefined) continue;
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    const found = status === 0 ? /PgBouncer (\d+)\.(\d+)\S*/i.exec(stdout) : null;
    if (!found) continue;
    const [major, minor] = [Number(found[1]), Number(found[2])];
    const keepsStatements =
      major > KEEPS_STATEMENTS_FROM[0] ||
      (major === KEEPS_STATEMENTS_FROM[0] && minor >= KEEPS_STATEMENTS_FROM[1]);
    return { path, version: `${major}.${minor}`, keepsStatements };
  }
  return null;
}

/** A PgBouncer in transaction mode with few server connections, so that clients must share them. */
export class PgBouncer {
  private log = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly dir: string,
    private readonly port: number,
  ) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.log += text));
  }

  /** @param urls of the upstream server, one per user */
  static async start(
    { path, keepsStatements }: PgBouncerProgram,
    urls: readonly string[],
  ): Promise<PgBouncer> {
    const dir = mkdtempSync(join(tmpdir(), 'quarry-pgbouncer-'));
    const port = await freePort();
    const { hostname, port: behind } = new URL(urls[0]!);
    const users = urls.map((url) => new URL(url));
    writeFileSync(
      join(dir, 'users.txt'),
      users.map(({ username, password }) => `"${username}" "${decodeURIComponent(password)}"\n`).join(''),
    );
    const settings = [
      '[databases]',
      `* = host=${hostname} port=${behind}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${join(dir, 'users.txt')}`,
      'pool_mode = transaction',
      'default_pool_size = 5',
      'max_client_conn = 200',
      ...(keepsStatements ? ['max_prepared_statements = 100'] : []),
    ];
    writeFileSync(join(dir, 'pgbouncer.ini'), settings.join('\n'));
    chmodSync(dir, 0o755);
    const isRoot = process.getuid?.() === 0;
    const child = spawn(path, [join(dir, 'pgbouncer.ini')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    const bouncer = new PgBouncer(child, dir, port);
    await waitFor('PgBouncer', () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer ended:\n${bouncer.log}`);
      return isListening(port);
    });
    return bouncer;
  }

  /** @returns a URL of the upstream server with the address of the pooler */
  through(url: string): string {
    const changed = new URL(url);
    changed.hostname = '127.0.0.1';
    changed.port = String(this.port);
    return changed.href;
  }

  /** Returns warnings from its log, including connections that were closed while their client was active. */
  get complaints(): string[] {
    return this.log.split('\n').filter((line) => /unsupported|ERROR|FATAL|prepared statement/i.test(line));
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.dir, { recursive: true, force: true });
  }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const say = (is: boolean) => (): void => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', say(true)).once('error', say(false));
  });
}

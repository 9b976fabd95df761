import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const KEY = [
  'req',
  '-x509',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:prime256v1',
  '-nodes',
  '-days',
  '2',
];

/** A certificate for `localhost` and 127.0.0.1, and the CA that has signed it. */
export class TestAuthority {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;

  private constructor(private readonly dir: string) {
    const read = (name: string): string => readFileSync(join(dir, name), 'utf8');
    this.cert = read('server.pem');
    this.key = read('server.key');
    this.ca = read('ca.pem');
  }

  /** Creates both with the openssl of this machine. @throws Error naming the package if it is missing */
  static make(): TestAuthority {
    const dir = mkdtempSync(join(tmpdir(), 'quarry-authority-'));
    const openssl = (...args: string[]): void => {
      const { error, status, stderr } = spawnSync('openssl', args, { cwd: dir, encoding: 'utf8' });
      if (error)
        throw new Error('These tests need openssl (Debian: apt-get install openssl).', { cause: error });
      if (status !== 0) throw new Error(stderr);
    };
    openssl(...KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=authority of a spec');
    openssl(
      ...KEY,
      '-keyout',
      'server.key',
      '-out',
      'server.pem',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      '-addext',
      'basicConstraints=critical,CA:FALSE',
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca.key',
    );
    return new TestAuthority(dir);
  }

  /** Returns the file of the CA certificate, for `NODE_EXTRA_CA_CERTS` of a process. */
  get caFile(): string {
    return join(this.dir, 'ca.pem');
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

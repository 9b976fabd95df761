import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { parse } from 'yaml';
import { read } from './kubernetes/manifest-kit.js';

/** Of a service only what the rules look at; `docker-compose config` judges the shape. */
interface ComposeService {
  build?: { target: string };
  entrypoint?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  networks?: string[];
  ports?: string[];
}
interface ComposeFile {
  version: string;
  services: Record<string, ComposeService>;
  networks?: Record<string, object>;
}
const fileOf = (path: string): ComposeFile => parse(read(path), { merge: true });

const product = fileOf('docker-compose.yml');
const search = fileOf('docker-compose.search.yml');
const SEARCHING = ['runs-agent', 'services', 'worker'];
const { searxng } = search.services as { searxng: ComposeService };

describe('the compose file for searches', () => {
  it('tells all that have providers where SearXNG is, and gives them nothing else', () => {
    for (const name of SEARCHING)
      expect(search.services[name]).toEqual({
        environment: { SEARXNG_URL: 'http://searxng:8080' },
        networks: ['default', 'search'],
      });
    // These two apps take the variables of providers; the others have none.
    const reading = Object.entries(product.services).filter(([, { build }]) =>
      ['runs-agent', 'jobs-worker'].includes(build?.target ?? ''),
    );
    expect(reading.map(([name]) => name)).toEqual(SEARCHING);
    expect(Object.keys(search.services).sort()).toEqual([...SEARCHING, 'searxng'].sort());
  });

  it('lets no page be read at its address: no allowance for what customers name', () => {
    const text = read('docker-compose.search.yml').replace(/^\s*#.*$/gm, '');
    expect(text + read('docker-compose.yml')).not.toContain('FETCH_ALLOW_HOSTS');
  });

  it('puts SearXNG into a network of its own, without a port of the host', () => {
    expect(searxng.networks).toEqual(['search']);
    expect(searxng.ports).toBeUndefined();
    expect(Object.keys(search.networks!)).toEqual(['search']);
    for (const { networks } of Object.values(product.services)) expect(networks).toBeUndefined();
  });

  it('is the one way to it: without the file there is no SearXNG, and no address of one', () => {
    expect(read('docker-compose.yml')).not.toMatch(/SEARXNG_URL|searxng\/searxng/);
    expect(product.version).toBe(search.version);
  });
});

describe('the settings of SearXNG', () => {
  const settings = parse(read('searxng/settings.yml'));

  it('are mounted read-only where the image looks for them', () => {
    expect(searxng.volumes).toEqual(['./searxng/settings.yml:/etc/searxng/settings.yml:ro']);
    // The image gives what is mounted to its own user otherwise.
    expect(searxng.environment).toMatchObject({ FORCE_OWNERSHIP: 'false' });
  });

  it('switch on the format that is asked for, and no limit for those that ask', () => {
    expect(settings).toEqual({
      use_default_settings: true,
      server: { limiter: false, image_proxy: false },
      search: { formats: ['html', 'json'] },
    });
  });

  it('hold no secret key: it is given, or another one for each start', () => {
    const [shell, flag, script] = searxng.entrypoint!;
    expect([shell, flag]).toEqual(['/bin/sh', '-c']);
    const told = (given: string): string => {
      const line = script!
        .replaceAll('$$', '$')
        .replace('exec /usr/local/searxng/entrypoint.sh', 'exec printenv SEARXNG_SECRET');
      const { stdout, status } = spawnSync(shell!, [flag!, line], {
        env: { PATH: process.env.PATH, SEARXNG_SECRET: given },
        encoding: 'utf8',
      });
      expect(status).toBe(0);
      return stdout.trim();
    };
    expect(told('of-the-operator')).toBe('of-the-operator');
    const made = [told(''), told('')];
    expect(new Set(made).size).toBe(2);
    // 32 bytes in base64.
    for (const each of made) expect(each).toHaveLength(44);
    expect(searxng.environment).toMatchObject({ SEARXNG_SECRET: '${SEARXNG_SECRET:-}' });
  });
});

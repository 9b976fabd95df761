import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { read } from './kubernetes/manifest-kit.js';

/** Fields of a service that the rules read; `docker-compose config` validates the schema. */
interface ComposeService {
  image?: string;
  command?: string[];
  secrets?: string[];
  build?: { target: string };
  profiles?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  networks?: string[];
  ports?: string[];
}
interface ComposeFile {
  secrets: Record<string, { file: string }>;
  services: Record<string, ComposeService>;
  networks?: Record<string, object>;
}
const fileOf = (path: string): ComposeFile => parse(read(path), { merge: true });

const file = fileOf('docker-compose.yml');
const { searxng, ...others } = file.services as Record<string, ComposeService> & { searxng: ComposeService };
const SEARCHING = ['runs-agent', 'services', 'worker'];
const namesOf = (is: (service: ComposeService) => boolean): string[] =>
  Object.entries(others)
    .filter(([, service]) => is(service))
    .map(([name]) => name);

/** Provider variables that name a file or a program in the image, or are set in another way. */
const NOT_PASSED_ON = [
  'SANDBOX',
  'PROVIDERS_FILE',
  'CHROMIUM_PATH',
  'CHROMIUM_SANDBOX',
  'JOB_BOARD_URLS',
  'DESTINATION_URLS',
  'FETCH_ALLOW_HOSTS',
];

describe('the environment variables of providers', () => {
  it('all reach each service that calls providers, and no new vendor is forgotten', () => {
    const groups = read('.env.example').split(/^# ── /m);
    const ofProviders = groups
      .filter((group) => /^(Providers of data|Keys of vendors|Pages, names and mail servers)/.test(group))
      .flatMap((group) => [...group.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name!));
    expect(ofProviders).toEqual(expect.arrayContaining(['HUNTER_KEY', ...NOT_PASSED_ON]));
    const passedOn = ofProviders.filter((name) => !NOT_PASSED_ON.includes(name));
    for (const name of SEARCHING)
      expect(others[name]!.environment).toMatchObject(
        Object.fromEntries(passedOn.map((each) => [each, `\${${each}:-}`])),
      );
  });
});

it('the URL of the web application reaches every service that makes links to it', () => {
  const apps = /# gateway: Address of the web application.*\n# tables, runs-agent: .*\n#APP_URL=/;
  expect(read('.env.example')).toMatch(apps);
  for (const name of ['gateway', 'tables', 'runs-agent'])
    expect([name, others[name]!.environment!.APP_URL]).toEqual([
      name,
      expect.stringMatching(/^\$\{APP_URL:-/),
    ]);
});

describe('secrets', () => {
  const READ: Record<string, string[]> = {
    postgres: ['postgres_password', 'owner_url', 'serving_url', 'working_url'],
    redis: ['queue_url'],
    migrate: ['owner_url', 'queue_url'],
    tables: ['serving_url', 'queue_url', 'rpc_secret', 'cursor_secret'],
    gateway: ['serving_url', 'queue_url', 'rpc_secret'],
    ...Object.fromEntries(
      SEARCHING.map((name) => [
        name,
        ['working_url', 'queue_url', 'rpc_secret', 'cursor_secret', 'secrets_key'],
      ]),
    ),
  };

  it('are given only to the services that read them', () => {
    const given = Object.entries(file.services).filter(([, { secrets = [] }]) => secrets.length > 0);
    expect(Object.fromEntries(given.map(([name, { secrets }]) => [name, secrets]))).toEqual(READ);
    for (const [name, { build, secrets, environment = {} }] of given) {
      const named = Object.entries(environment).filter(([key]) => key.endsWith('_FILE'));
      const read = named.map(([, path]) => path.replace('/run/secrets/', ''));
      if (build) expect([name, read.sort()]).toEqual([name, [...secrets!].sort()]);
    }
    expect(Object.keys(file.secrets).sort()).toEqual([...new Set(Object.values(READ).flat())].sort());
  });

  it('let each service sign in with the database role of its work, and none as superuser', () => {
    const url = (role: string) => ({ DATABASE_URL_FILE: `/run/secrets/${role}_url` });
    for (const name of ['gateway', 'tables']) expect(others[name]!.environment).toMatchObject(url('serving'));
    for (const name of SEARCHING) expect(others[name]!.environment).toMatchObject(url('working'));
    expect(others.migrate!.environment).toMatchObject(url('owner'));
    expect(others.postgres!.volumes).toContain('./postgres/roles.sh:/docker-entrypoint-initdb.d/roles.sh:ro');
  });

  /** Runs a script of the file with a fake program that prints its arguments and its input. */
  const ran = (program: string, [command, ...args]: string[], urls: Record<string, string>) => {
    const folder = mkdtempSync(join(tmpdir(), 'quarry-compose-'));
    try {
      for (const [name, url] of Object.entries(urls)) writeFileSync(join(folder, name), `${url}\n`);
      writeFileSync(join(folder, program), '#!/bin/sh\nprintf "%s\\n" "$@"\nexec cat\n');
      chmodSync(join(folder, program), 0o755);
      const PATH = `${folder}:${process.env.PATH}`;
      const env = { PATH, SECRETS: folder, POSTGRES_USER: 'quarry', POSTGRES_DB: 'quarry' };
      const script = args.map((arg) => arg.replaceAll('$$', '$').replaceAll('/run/secrets', folder));
      const { stdout, status } = spawnSync(command!, script, { env, encoding: 'utf8', input: '' });
      expect(status).toBe(0);
      return stdout.split('\n');
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  it('give the roles of a new database their passwords', () => {
    const urls = Object.fromEntries(
      ['owner', 'serving', 'working'].map((role) => [
        `${role}_url`,
        `postgres://quarry_${role}:${role}-word@postgres:5432/quarry`,
      ]),
    );
    const output = ran('psql', ['sh', 'postgres/roles.sh'], urls);
    expect(output).toEqual(
      expect.arrayContaining([
        'owner=owner-word',
        'serving=serving-word',
        'working=working-word',
        "CREATE ROLE quarry_owner LOGIN PASSWORD :'owner';",
        "CREATE ROLE quarry_serving LOGIN PASSWORD :'serving';",
        "CREATE ROLE quarry_working LOGIN PASSWORD :'working';",
      ]),
    );
    expect(output.join('\n')).not.toMatch(/SUPERUSER|BYPASSRLS/);
  });

  it('protect Redis with a password', () => {
    const queue = { queue_url: 'redis://:queue-word@redis:6379/0' };
    const output = ran('docker-entrypoint.sh', others.redis!.command!, queue);
    expect(output.slice(0, 1)).toEqual(['redis-server']);
    expect(output).toEqual(expect.arrayContaining(['noeviction', '--requirepass', 'queue-word']));
  });
});

describe('third-party images', () => {
  it('have exact versions', () => {
    const images = Object.values(file.services).flatMap(({ image }) => image ?? []);
    expect(images).toHaveLength(4);
    for (const image of images) expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-[0-9a-f]{9})?$/);
  });
});

describe('the search profile', () => {
  it('includes SearXNG, which is absent without it', () => {
    expect(searxng.profiles).toEqual(['search']);
    expect(read('docker-compose.yml')).toContain(
      'SEARXNG_URL=http://searxng:8080 docker compose --profile search up',
    );
  });

  it('passes the address of SearXNG to every service with providers, and to no other', () => {
    expect(namesOf(({ environment }) => environment?.SEARXNG_URL === '${SEARXNG_URL:-}')).toEqual(SEARCHING);
    // These two apps read the variables of providers; no others do.
    expect(namesOf(({ build }) => ['runs-agent', 'jobs-worker'].includes(build?.target ?? ''))).toEqual(
      SEARCHING,
    );
  });

  it("allows no page to be read at that address: customers' URLs get no exception", () => {
    expect(read('docker-compose.yml').replace(/^\s*#.*$/gm, '')).not.toContain('FETCH_ALLOW_HOSTS');
  });

  it('puts SearXNG into its own network, without a published port', () => {
    expect(searxng.networks).toEqual(['search']);
    expect(searxng.ports).toBeUndefined();
    expect(Object.keys(file.networks!)).toEqual(['search']);
    expect(namesOf(({ networks }) => networks !== undefined)).toEqual(SEARCHING);
    for (const name of SEARCHING) expect(others[name]!.networks).toEqual(['default', 'search']);
  });
});

describe('the settings of SearXNG', () => {
  const settings = parse(read('searxng/settings.yml'));

  it('are mounted read-only where the image expects them', () => {
    expect(searxng.volumes).toEqual(['./searxng/settings.yml:/etc/searxng/settings.yml:ro']);
    // Otherwise the image changes the owner of mounted files to its own user.
    expect(searxng.environment).toMatchObject({ FORCE_OWNERSHIP: 'false' });
  });

  it('enable the required output format, and no rate limit for internal callers', () => {
    expect(settings).toEqual({
      use_default_settings: true,
      server: { limiter: false, image_proxy: false },
      search: { formats: ['html', 'json'] },
    });
  });

  it('contain no secret key: it is given, or generated at each start', () => {
    const [shell, flag, script] = searxng.entrypoint!;
    expect([shell, flag]).toEqual(['/bin/sh', '-c']);
    const output = (given: string): string => {
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
    expect(output('of-the-operator')).toBe('of-the-operator');
    const made = [output(''), output('')];
    expect(new Set(made).size).toBe(2);
    // 32 bytes in base64.
    for (const each of made) expect(each).toHaveLength(44);
    expect(searxng.environment).toMatchObject({ SEARXNG_SECRET: '${SEARXNG_SECRET:-}' });
  });
});

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient, startProduct, type Product } from '@quarry/testing';
import { verifyWebhook } from '@quarry/sdk';
import { HttpSite, waitFor, WebhookReceiver } from '@quarry/test-servers';

const MAIN = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));
const MEMORY_MB_MAX = 150;
let product: Product;
let api: ApiClient;
let folder: string;

beforeAll(async () => {
  product = await startProduct({ env: { LOG_LEVEL: 'error', RATE_LIMIT_SCALE: '100' } });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  folder = await mkdtemp(join(tmpdir(), 'quarry-cli-'));
});
afterAll(async () => {
  await product.dispose();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
  peakMb: number;
}

function start(
  args: readonly string[],
  env: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      XDG_CONFIG_HOME: join(folder, 'config'),
      QUARRY_URL: product.baseUrl,
      QUARRY_API_KEY: product.credentials.api_key,
      ...env,
    },
  });
  let [out, err, peakMb] = ['', '', 0];
  child.stdout.on('data', (text: Buffer) => {
    out += text.toString();
    const status = existsSync(`/proc/${child.pid}/status`)
      ? readFileSync(`/proc/${child.pid}/status`, 'utf8')
      : '';
    peakMb = Math.max(peakMb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  });
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err, peakMb }));
  return { child, ended };
}

async function quarry(...args: string[]): Promise<Ended> {
  return start(args).ended;
}

const remaining = async (): Promise<number> =>
  (await api.get<{ remaining: number }>('/credits')).body.remaining;

describe('the quarry command', () => {
  it('makes a table from a prompt, reports what it understood and costs, and prints rows for a pipe', async () => {
    const { code, out, err } = await quarry('run', '3 fintech companies in the United Kingdom');
    expect([code, out.split('\r\n')[0]]).toEqual([0, expect.stringMatching(/^name,domain,/)]);
    expect(out.trim().split('\r\n')).toHaveLength(4);
    expect(err).toMatch(/fintech → industry: Fintech[\s\S]*for 0 credits[\s\S]*fictional/);
    const { id } = JSON.parse(
      (await quarry('run', '2 companies in France', '--no-follow', '--json')).out,
    ) as { id: string };
    const followed = await quarry('run', 'follow', id, '--jsonl');
    expect(
      followed.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).country),
    ).toEqual(['France', 'France']);
    const all = JSON.parse((await quarry('run', 'list', '--json')).out) as unknown[];
    // In addition to the run that every installation starts with.
    expect(all).toHaveLength(3);
  });

  it('exits with 2 if nothing of a prompt was understood, and with 5 if nothing was found', async () => {
    const unread = await quarry('run', '3 purple things');
    expect([unread.code, unread.out]).toEqual([2, '']);
    expect(unread.err).toContain('No table was created');
    const empty = await quarry('run', '3 companies in Malta founded before 1901 with over 40000 staff');
    expect([empty.code, empty.out.trim().split('\r\n').length]).toEqual([5, 1]);
    expect(empty.err).toContain('No rows were found');
  });

  it('asks before it spends credits; if nobody can answer it names the flag and spends nothing', async () => {
    const before = await remaining();
    const { code, err } = await quarry('run', '20 heads of marketing in the United States with work email');
    expect([code, err]).toEqual([2, expect.stringContaining('--yes or --max-credits')]);
    await writeFile(join(folder, 'one.csv'), 'domain,last_name,first_name\ndunera.example,Norton,Laura\n');
    expect(await quarry('list', 'getEmail', 'one.csv')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    });
    await writeFile(join(folder, 'names.csv'), 'last_name\nNorton\n');
    const { err: poor } = await quarry('list', 'getEmail', 'names.csv', '--dry-run');
    expect(poor).toContain('1 of 1 rows have too little to search with');
    expect(await remaining()).toBe(before);
  });

  it('exits with 3 if a run or a question has used up its limit', async () => {
    const prompt = '3 people who lead companies in France as CEO, with work email';
    const args = ['run', prompt, '--max-credits', '1'];
    expect(await quarry(...args)).toMatchObject({ code: 3, err: expect.stringContaining('is used up') });
    expect((await quarry(...args, '--json')).code).toBe(3);
  });

  it('prints each state of work once into a log', async () => {
    const { err } = await quarry('go', 'Who?', '--url', 'https://a.example/');
    expect(err.match(/^reading …$/gm)).toHaveLength(1);
    expect((await quarry('go', 'Who?', '--url', 'https://a.example/', '--quiet')).err).not.toContain(
      'reading',
    );
  });

  it.each([[['nope']], [['services', '--jsno']], [['run']], [['tables']]])(
    'reports a wrong command line as JSON if JSON is requested: %j',
    async (args) => {
      const { code, out, err } = await quarry(...args, '--json');
      const { error } = JSON.parse(err) as { error: { message: string } };
      expect([code, out, error]).toEqual([2, '', expect.objectContaining({ code: 'UsageError' })]);
      expect(error.message).not.toMatch(/error:|\n/);
    },
  );

  it('shows what lookups would cost, for one input and for several', async () => {
    const one = await quarry(
      'credits',
      'estimate',
      'getEmail',
      'linkedin_url=https://linkedin.com/in/nobody',
      '--json',
    );
    expect(JSON.parse(one.out)).toMatchObject({ max: 1, new_lines: 1 });
    const contact = { linkedin_url: 'https://linkedin.com/in/somebody' };
    await writeFile(join(folder, 'inputs.json'), JSON.stringify({ inputs: [contact, { last_name: 'Doe' }] }));
    const two = await quarry('credits', 'estimate', 'getEmail', '--input', 'inputs.json', '--json');
    expect(JSON.parse(two.out)).toMatchObject({ new_lines: 1, rejected_lines: 1 });
  });

  const REFUSED = `
    an unknown flag | services --jsno | 2 | Did you mean --json?
    a slow service that is called | call getEmail domain=dunera.example | 2 | quarry list getEmail
    a file of no known form | call findDomain company=Dunera -o a.xlsx | 2 | not .xlsx
    a table as XLSX | tables export tbl_00000000000000000000000000 -o a.xlsx | 2 | .xlsx
    a question that needs a model | go Who? | 1 | MODEL_URL, MODEL_NAME
    a question to a page that cannot be read | go Who? --url https://a.example/ | 5 | answer (not proved): No page
    an address without http | login --url localhost:3000 | 2 | --url must be an address such as http
    an address to post to that is none | webhooks listen foo | 2 | not foo
    a method that an address does not know | api DELETE /v1/runs | 2 | supports only
    an address of another server | api GET /http://127.0.0.1:9/credits | 2 | The path leads to http://127.0.0.1:9
    an id that is empty | run get "" | 2 | id is empty
    what has no page | open foo_1 | 2 | foo_1 has no page
    a budget that is no number | monitors create x --cron "0 9 * * 1" --time-zone Europe/Berlin --max-credits-per-run ten | 2 | --max-credits-per-run must be a number, not ten
    a list over its own file | list getEmail a.csv -o ./a.csv | 2 | must not be the input file
    a list into no CSV | list getEmail a.csv -o b.json | 2 | must end with .csv
    a request that is refused | go Who? --effort huge | 2 | effort
    what is not there | run get run_00000000000000000000000000 | 5 | Run not found
    a file that is not there | list getEmail nowhere.csv --yes | 2 | nowhere.csv does not exist.
    a body that is not there | api POST /v1/runs --input no.json | 2 | no.json does not exist.
    a sequence that is not there | sequences create no.json | 2 | no.json does not exist.`;
  it.each(
    REFUSED.trim()
      .split('\n')
      .map((row) => row.trim().split(' | ') as [what: string, line: string, code: string, message: string]),
  )('exits with its own code for %s', async (_what, line, code, message) => {
    const args = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const ended = await quarry(...args);
    expect([ended.code, ended.out]).toEqual([Number(code), '']);
    expect(ended.err).toContain(message);
    expect(ended.err).not.toMatch(/\n\s+at /);
  });

  it('exits with its own codes without a key, and without a server', async () => {
    expect(await start(['credits'], { QUARRY_API_KEY: '' }).ended).toMatchObject({
      code: 4,
      err: expect.stringContaining('quarry login'),
    });
    expect(await start(['credits'], { QUARRY_API_KEY: 'qk_live_wrong' }).ended).toMatchObject({
      code: 4,
      err: expect.stringContaining('key is unknown or was revoked'),
    });
    expect(await start(['credits'], { QUARRY_URL: 'localhost:3000' }).ended).toMatchObject({
      code: 2,
      err: expect.stringContaining('QUARRY_URL must be an address such as http'),
    });
    const away = await start(['credits', '--json'], { QUARRY_URL: 'http://127.0.0.1:9' }).ended;
    expect([away.code, JSON.parse(away.err).error.code]).toEqual([8, 'ConnectionError']);
    const asIs = await start(['api', 'GET', '/credits'], { QUARRY_URL: 'http://127.0.0.1:9' }).ended;
    expect([asIs.code, asIs.err]).toEqual([
      8,
      expect.stringContaining('Check that Quarry is running there.'),
    ]);
  });

  it.each([
    ['a key', ['login'], 4, 'No key was given.'],
    ['a secret', ['destinations', 'create', 'webhook', '--name', 'Hook'], 2, 'No secret was given.'],
  ])('exits with its own code if standard input ends without %s', async (_what, args, code, message) => {
    const { child, ended } = start(args);
    child.stdin!.end();
    expect(await ended).toMatchObject({ code, out: '', err: expect.stringContaining(message) });
  });

  it("prints a service's answer as rows, and a document as one CSV record on request", async () => {
    const { out } = await quarry('call', 'searchCompanies', 'countries=["France"]', 'limit=2');
    expect(out.trim().split('\r\n')).toHaveLength(3);
    expect(out).toMatch(/^name,domain,/);
    const digits = start(['call', 'findDomain', 'company=1901'], {
      QUARRY_API_KEY: product.credentials.test_key,
    });
    expect(await digits.ended).toMatchObject({ code: 0, out: expect.stringContaining('provider: sandbox') });
    const found = await quarry('call', 'findDomain', 'company=Dunera', '--csv');
    expect(found.out).toBe('domain,confidence,provider\r\ndunera.example,high,sandbox\r\n');
    expect((await quarry('services', 'findDomain')).out).toContain('$ quarry call findDomain company=');
    expect(JSON.parse((await quarry('services', 'findDomain', '--json')).out)).toHaveProperty('input_schema');
  });

  it('stores a typed key readable only by its owner', async () => {
    const login = start(['login', '--url', product.baseUrl, '--name', 'mine'], { QUARRY_API_KEY: '' });
    login.child.stdin!.end(`${product.credentials.test_key}\n`);
    expect(await login.ended).toMatchObject({ code: 0, err: expect.stringContaining('[test]') });
    expect(statSync(join(folder, 'config', 'quarry', 'config.json')).mode & 0o777).toBe(0o600);
    const { out } = await start(['whoami', '--json'], { QUARRY_API_KEY: '' }).ended;
    expect(JSON.parse(out)).toMatchObject({ profile: 'mine', mode: 'test' });
    expect(await start(['logout'], { QUARRY_API_KEY: '' }).ended).toMatchObject({ code: 0 });
    expect((await start(['whoami'], { QUARRY_API_KEY: '' }).ended).code).toBe(4);
  });

  it('stores and removes a key in the named profile, and no other', async () => {
    const withoutKey = { QUARRY_API_KEY: '' };
    for (const name of ['first', 'second']) {
      const login = start(['login', '--url', product.baseUrl, '--profile', name], withoutKey);
      login.child.stdin!.end(`${product.credentials.test_key}\n`);
      expect((await login.ended).code).toBe(0);
    }
    await start(['logout', '--profile', 'first'], withoutKey).ended;
    const { out } = await start(['profile', 'list', '--jsonl'], withoutKey).ended;
    expect(JSON.parse(out)).toEqual({ name: 'second', url: product.baseUrl, is_current: true });
    await start(['logout'], withoutKey).ended;
  });

  it('prints cells without terminal control sequences, and writes files unchanged', async () => {
    const { body: workspace } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Cells' });
    const hostile = 'Acme\u001b]0;evil\u0007';
    const made = await api.post<{ id: string }>(`/v1/workspaces/${workspace.id}/tables`, {
      name: 'Hostile',
      columns: [{ key: 'name', name: 'Name' }],
      rows: [{ name: hostile }],
    });
    const shown = spawn(
      'script',
      ['-qec', `${process.execPath} ${MAIN} tables rows ${made.body.id} --csv`, '/dev/null'],
      { env: { ...process.env, QUARRY_URL: product.baseUrl, QUARRY_API_KEY: product.credentials.api_key } },
    );
    const screen = String(Buffer.concat(await shown.stdout.toArray()));
    expect(screen.trim().split('\r\r\n')).toEqual(['name', 'Acme]0;evil']);
    expect(JSON.parse((await quarry('tables', 'rows', made.body.id, '--jsonl')).out)).toEqual({
      name: hostile,
    });
    const renamed = await quarry('tables', 'rename', made.body.id, 'Of May', '--json');
    expect(JSON.parse(renamed.out)).toMatchObject({ id: made.body.id, name: 'Of May' });
    expect(await quarry('tables', 'delete', made.body.id)).toMatchObject({ code: 0, out: '' });
    expect(await quarry('tables', 'get', made.body.id)).toMatchObject({ code: 5 });
  });

  it('imports and exports files, and processes 20,000 rows in little memory', async () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => `Company ${at},c${at}.example,${at}`);
    await writeFile(join(folder, 'large.csv'), `Company,Website,Staff\n${rows.join('\n')}\n`);
    const preview = await quarry('tables', 'import', 'large.csv', '--dry-run');
    expect(preview.err).toContain('20000 rows; Company: text, Website: text, Staff: number');
    const { body: newest } = await api.post<{ id: string }>('/v1/workspaces', { name: 'Newest' });
    const { id, workspace_id: workspaceId } = JSON.parse(
      (await quarry('tables', 'import', 'large.csv', '--json')).out,
    ) as { id: string; workspace_id: string };
    expect(workspaceId).toBe(newest.id);
    const { out, peakMb } = await quarry('tables', 'rows', id);
    expect(out.trim().split('\r\n').slice(1)).toEqual(rows);
    expect(peakMb).toBeGreaterThan(0);
    expect(peakMb).toBeLessThan(MEMORY_MB_MAX);
    const { body: file } = await api.post<{ id: string }>(`/v1/tables/${id}/exports`, { format: 'csv' });
    expect((await quarry('exports', 'get', file.id)).out.trim().split('\r\n')).toHaveLength(1 + rows.length);
    expect((await quarry('tables', 'export', id, '-o', 'again.csv')).code).toBe(0);
    const again = readFileSync(join(folder, 'again.csv'), 'utf8').replaceAll('"', '');
    expect(again.trim().split('\r\n').slice(1)).toEqual(rows);
    expect(JSON.parse((await quarry('tables', 'export', id, '--json')).out)).toHaveLength(rows.length);
    // A reader that stops early.
    const { child, ended } = start(['tables', 'rows', id]);
    child.stdout!.once('data', () => child.stdout!.destroy());
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('exits with 3 if an exclusion entry was refused', async () => {
    expect(await quarry('exclusions', 'add', 'companies', 'nodomain')).toMatchObject({ code: 3 });
  });

  it('combines the results of several exclusion requests, and says what to do beyond their limit', async () => {
    const domains = Array.from({ length: 60_000 }, (_, at) =>
      at === 1_400 ? 'nodomain' : `firm-${at}.example`,
    );
    const write = (count: number) =>
      writeFile(join(folder, 'firms.csv'), ['domain', ...domains.slice(0, count), ''].join('\n'));
    await write(1_500);
    const added = await quarry('exclusions', 'add', 'companies', 'firms.csv', '--json');
    expect([added.code, JSON.parse(added.out)]).toMatchObject([
      3,
      { created: 1_499, unchanged: 0, rejected: [{ index: 1_400 }] },
    ]);
    expect(added.err).toContain('! nodomain: ');
    const removed = await quarry('exclusions', 'remove', 'companies', 'firms.csv', '--csv');
    expect(removed).toMatchObject({ code: 0, out: 'deleted,not_found\r\n1499,1\r\n' });
    await write(0);
    expect((await quarry('exclusions', 'add', 'companies', 'firms.csv')).code).toBe(2);
    expect((await quarry('exclusions', 'sync', 'companies', 'firms.csv')).code).toBe(2);
    expect((await quarry('exclusions', 'sync', 'companies', 'firms.csv', '--dry-run')).code).toBe(0);
    await writeFile(join(folder, 'firms.csv'), 'domain\nnodomain\n');
    const none = await quarry('exclusions', 'sync', 'companies', 'firms.csv');
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('not a registrable domain') });
    await write(60_000);
    const tooMany = await quarry('exclusions', 'sync', 'companies', 'firms.csv');
    expect(tooMany).toMatchObject({ code: 2, err: expect.stringContaining('a --source of its own') });
  });

  it.each([
    ['people', 'https://www.linkedin.com/in/ada-1\nlinkedin.com/in/bob-2\n'],
    ['companies', 'domaintools.com\nacme-out.com\n'],
    ['companies', 'Acme,www.urlaub-out.com\nOther,other-out.com\n'],
    ['companies', 'company.name,company.domain\nAcme,first-out.com\nOther,second-out.com\n'],
    ['people', 'Name;LinkedIn URL\nCleo;https://www.linkedin.com/in/cleo-3\nDan;linkedin.com/in/dan-4\n'],
  ])('excludes every entry of a file of %s, with or without a header: %j', async (kind, text) => {
    await writeFile(join(folder, 'entries.csv'), text);
    const { code, out } = await quarry('exclusions', 'add', kind, 'entries.csv', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { created: 2, rejected: [] }]);
    await quarry('exclusions', 'remove', kind, 'entries.csv');
  });

  it('excludes people by profile and companies by domain if a file has both', async () => {
    const row = [
      'https://www.linkedin.com/in/eve-5',
      'eve-out.com',
      'https://www.linkedin.com/company/eve-out',
    ];
    const entryOf = async (kind: string, header: string, cells: string[]) => {
      await writeFile(join(folder, 'both.csv'), `${header}\n${cells.join(',')}\n`);
      await quarry('exclusions', 'add', kind, 'both.csv');
      const [entry] = JSON.parse((await quarry('exclusions', 'list', kind, '--json')).out) as object[];
      await quarry('exclusions', 'remove', kind, 'both.csv');
      return entry;
    };
    expect(await entryOf('people', 'Company Domain,LinkedIn URL', [row[1]!, row[0]!])).toMatchObject({
      domain: null,
      linkedin_url: row[0],
    });
    expect(await entryOf('companies', 'LinkedIn URL,Website', [row[2]!, row[1]!])).toMatchObject({
      domain: row[1],
      linkedin_url: null,
    });
  });

  it('reads the argument of sync as a file with any extension, and never as an entry', async () => {
    await writeFile(join(folder, 'customers.txt'), 'domain\nfirst-out.com\nsecond-out.com\n');
    const sync = (file: string) => quarry('exclusions', 'sync', 'companies', file, '--dry-run', '--json');
    expect(JSON.parse((await sync('customers.txt')).out)).toMatchObject({ created: 2 });
    expect(await sync('nowhere.txt')).toMatchObject({
      code: 2,
      err: expect.stringContaining('does not exist'),
    });
    const added = await quarry('exclusions', 'add', 'companies', 'customers.txt', '--json');
    expect(JSON.parse(added.out)).toMatchObject({ created: 2 });
    await quarry('exclusions', 'remove', 'companies', 'customers.txt');
  });

  it('reports how many rows of an exclusion file have no entry', async () => {
    await writeFile(join(folder, 'gaps.csv'), 'name,domain\nA,\nB,gap-out.com\nC,\n');
    const { code, err } = await quarry('exclusions', 'add', 'companies', 'gaps.csv');
    expect([code, err]).toEqual([0, '! 2 rows skipped: the column “domain” is empty\n']);
    await quarry('exclusions', 'remove', 'companies', 'gap-out.com');
  });

  it('syncs exclusions after showing the differences in a dry run', async () => {
    await writeFile(join(folder, 'out.csv'), 'Name;Domain\nA;a-out.example\nB;b-out.example\n');
    const dry = await quarry('exclusions', 'sync', 'companies', 'out.csv', '--dry-run', '--json');
    expect(JSON.parse(dry.out)).toMatchObject({ created: 2, deleted: 0 });
    expect((await quarry('exclusions', 'list', 'companies', '--json')).out).toBe('[]\n');
    await quarry('exclusions', 'sync', 'companies', 'out.csv');
    expect(JSON.parse((await quarry('exclusions', 'list', 'companies', '--json')).out)).toHaveLength(2);
  });

  it("adds itself to an agent's configuration file, next to other entries, readable only by its owner", async () => {
    const there = '{"mcpServers":{"other":{"url":"https://other.example"}}}';
    await writeFile(join(folder, '.mcp.json'), there, { mode: 0o644 });
    expect((await quarry('mcp', 'install', 'claude')).code).toBe(0);
    const { mcpServers } = JSON.parse(readFileSync(join(folder, '.mcp.json'), 'utf8'));
    expect(Object.keys(mcpServers)).toEqual(['other', 'quarry']);
    expect(mcpServers.quarry.url).toBe(`${product.baseUrl}/mcp`);
    expect(statSync(join(folder, '.mcp.json')).mode & 0o777).toBe(0o600);
  });

  it("does not change an agent's configuration file with comments, and prints what to add", async () => {
    const commented = '{ // mine\n}';
    await writeFile(join(folder, '.mcp.json'), commented);
    expect((await quarry('mcp', 'install', 'claude')).code).toBe(2);
    expect(readFileSync(join(folder, '.mcp.json'), 'utf8')).toBe(commented);
    const { out } = await quarry('mcp', 'install', 'claude', '--print');
    expect(Object.keys(JSON.parse(out).mcpServers)).toEqual(['quarry']);
  });

  it('sends any other request unchanged, and exits with a code for a refusal', async () => {
    await writeFile(join(folder, 'workspace.json'), '{"name":"By hand"}');
    const made = await quarry('api', 'POST', '/v1/workspaces', '--input', 'workspace.json');
    expect([made.code, JSON.parse(made.out)]).toMatchObject([0, { name: 'By hand' }]);
    const { id } = JSON.parse(made.out) as { id: string };
    expect(await quarry('api', 'DELETE', `/v1/workspaces/${id}`)).toMatchObject({ code: 0, out: '' });
    const gone = await quarry('api', 'GET', `/v1/workspaces/${id}`, '--json');
    expect([gone.code, JSON.parse(gone.err)]).toMatchObject([5, { error: { code: 'workspace_not_found' } }]);
  });

  it('prints events as they happen', async () => {
    const { child, ended } = start(['events', 'tail', '--types', 'run.completed']);
    let lines = '';
    child.stdout!.on('data', (text: Buffer) => (lines += text.toString()));
    // The stream may start after the first run has ended.
    await waitFor('an event', async () => {
      await quarry('run', '1 company in France', '--quiet');
      return lines.includes('\n');
    });
    expect(JSON.parse(lines.split('\n')[0]!)).toMatchObject({
      type: 'run.completed',
      subject: expect.stringMatching(/^run_/),
    });
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const listed = await quarry('events', 'list', '--types', 'run.started', '--jsonl');
    expect(listed.out).toContain('"run.started"');
  });

  it('pushes rows to a destination whose secret was given on standard input', async () => {
    const { child, ended } = start([
      'destinations',
      'create',
      'webhook',
      '--name',
      'Hook',
      '--url',
      'https://hooks.example/',
      '--json',
    ]);
    child.stdin!.end(`whsec_${Buffer.alloc(32, 7).toString('base64')}\n`);
    const made = JSON.parse((await ended).out) as { id: string; kind: string };
    expect(made.kind).toBe('webhook');
    expect((await quarry('destinations', 'list', '--json')).out).toContain(made.id);
    const workspace = await api.post<{ id: string }>('/v1/workspaces', { name: 'Rows' });
    const table = await api.post<{ id: string }>(`/v1/workspaces/${workspace.body.id}/tables`, {
      name: 'x',
      columns: [{ key: 'a', name: 'A' }],
      rows: [{ a: 1 }],
    });
    const preview = await quarry('destinations', 'preview', made.id, table.body.id, '--json');
    expect(JSON.parse(preview.out)).toMatchObject({ counts: { new: 1 } });
    const push = JSON.parse((await quarry('destinations', 'push', made.id, table.body.id, '--json')).out) as {
      id: string;
    };
    expect((await quarry('destinations', 'pushes', made.id, '--jsonl')).out).toContain(push.id);
    expect((await quarry('destinations', 'delete', made.id)).code).toBe(0);
  });

  it('registers a webhook, and forwards events to a local URL', async () => {
    const types = ['--types', 'run.completed'];
    const made = JSON.parse(
      (await quarry('webhooks', 'create', 'https://hooks.example/', ...types, '--json')).out,
    ) as { id: string; secret: string };
    expect(made.secret).toMatch(/^whsec_/);
    expect((await quarry('webhooks', 'list', '--json')).out).toContain(made.id);
    const sent = JSON.parse((await quarry('webhooks', 'test', made.id, '--json')).out) as { id: string };
    expect((await quarry('webhooks', 'deliveries', made.id, '--jsonl')).out).toContain(sent.id);
    expect((await quarry('webhooks', 'redeliver', made.id, sent.id, '--json')).out).toContain('"pending"');
    expect((await quarry('webhooks', 'delete', made.id)).code).toBe(0);
    const receiver = await WebhookReceiver.start();
    const listening = ['webhooks', 'listen', receiver.url(), ...types, '--secret', made.secret];
    const { child, ended } = start(listening);
    await waitFor('an event', async () => {
      await quarry('run', '1 company in France', '--quiet');
      return receiver.received.length > 0;
    });
    const { body, headers } = receiver.received[0]!;
    expect(await verifyWebhook(body, headers, made.secret)).toMatchObject({ type: 'run.completed' });
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await receiver.stop();
  });

  it('completes commands, and diagnoses problems', async () => {
    expect((await quarry('__complete', '--', 'tables')).out.split('\n')).toEqual(
      expect.arrayContaining(['rows', 'import', '--json']),
    );
    const complete = async (...words: string[]): Promise<string[]> =>
      (await quarry('__complete', '--', ...words)).out.trim().split('\n');
    const { out: runs } = await quarry('run', 'list', '--jsonl');
    expect(await complete('run', 'get')).toContain(JSON.parse(runs.split('\n')[0]!).id);
    expect(await complete('call')).toContain('findDomain');
    expect(await complete('list')).toContain('webResearch');
    expect(await complete('exclusions', 'add')).toContain('people');
    expect(await complete('--profile')).toEqual(['']);
    // Suggestions that need the server are omitted when it cannot be reached.
    const alone = start(['__complete', '--', 'run', 'get'], { QUARRY_URL: 'http://127.0.0.1:9' });
    expect(await alone.ended).toMatchObject({ code: 0, out: expect.stringContaining('--json') });
    expect((await quarry('open', 'mon_1')).out).toBe(`${product.baseUrl}/app/monitors\n`);
    expect((await quarry('open', 'seq_1')).out).toBe(`${product.baseUrl}/app/sequences/seq_1\n`);
    expect(await quarry('doctor')).toMatchObject({
      code: 0,
      err: expect.stringMatching(/server +ready[\s\S]*key +valid/),
    });
    expect(JSON.parse((await quarry('doctor', '--json')).out)).toMatchObject({
      ready: true,
      clock_right: true,
      remaining: expect.any(Number),
      unavailable_services: expect.any(Array),
    });
    expect(JSON.parse((await quarry('open', '--json')).out)).toEqual({ url: `${product.baseUrl}/app/` });
  });
});

describe('a file of 500 lookups', () => {
  const head = 'Given name,Surname,Website';
  const people = Array.from({ length: 500 }, (_, at) => `Person${at},Doe${at},dunera.example`);

  it('that is killed midway resumes with the same command, and is paid once', async () => {
    await writeFile(join(folder, 'people.csv'), `${head}\n${people.join('\n')}\n`);
    const before = await remaining();
    const args = ['list', 'getEmail', 'people.csv', '--yes', '-o', 'found.csv'];
    const first = start(args);
    const part = join(folder, 'found.csv.part');
    // Some results exist, but not all of them.
    await waitFor('the first results', async () => (await remaining()) < before && existsSync(part));
    first.child.kill('SIGKILL');
    await first.ended;
    const again = await quarry(...args);
    expect([again.code, existsSync(part)]).toEqual([0, false]);
    const lines = readFileSync(join(folder, 'found.csv'), 'utf8').trim().split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',').slice(0, 3).join())).toEqual(people);
    const found = lines.filter((line) => line.includes('@dunera.example')).length;
    expect(before - (await remaining())).toBeCloseTo(found, 5);
    const { out } = await quarry('credits', 'ledger', '--service', 'getEmail', '--jsonl');
    // Charges of runs belong to the demonstration.
    const charges = out
      .trim()
      .split('\n')
      .filter((line) => JSON.parse(line).run_id === null);
    expect(charges).toHaveLength(found);
  });
});

describe('Ctrl-C', () => {
  it('leaves a run working, and says how to follow it again', async () => {
    const run = { id: 'run_1', status: 'running', artifacts: [], items: [] };
    const plan = {
      id: 'plan_1',
      understood: [],
      not_understood: [],
      notes: [],
      estimate: { rows: 1, credits_max: 0 },
    };
    const requests: string[] = [];
    const server = await HttpSite.open(({ method, url }, response) => {
      requests.push(`${method} ${url}`);
      // The run never ends: the read is held.
      if (url!.includes('wait_seconds')) return;
      response.end(JSON.stringify(url === '/v1/plans' ? plan : run));
    });
    const { child, ended } = start(['run', 'Companies'], { QUARRY_URL: server.origin });
    await waitFor('the held read', async () => requests.some((each) => each.includes('wait_seconds')));
    child.kill('SIGINT');
    const { code, err } = await ended;
    await server.stop();
    expect([code, err]).toEqual([130, expect.stringMatching(/goes on[\s\S]*quarry run follow run_1/)]);
    expect(requests.filter((each) => each.includes('cancel'))).toEqual([]);
  });
});

describe('a list command', () => {
  it('that was tried with its first row runs for all rows, and pays for none twice', async () => {
    await writeFile(
      join(folder, 'tried.csv'),
      'domain,last_name,first_name\ndunera.example,Kirby,Ann\ndunera.example,Kirby,Bob\n',
    );
    const before = await remaining();
    expect(await quarry('list', 'getEmail', 'tried.csv', '--limit', '1', '--yes')).toMatchObject({ code: 0 });
    expect(await quarry('list', 'getEmail', 'tried.csv', '--yes')).toMatchObject({ code: 0 });
    const found = readFileSync(join(folder, 'tried.getEmail.csv'), 'utf8').match(/@dunera\.example/g) ?? [];
    expect(before - (await remaining())).toBe(found.length);
    const estimate = async (...more: string[]) =>
      JSON.parse((await quarry('list', 'getEmail', 'tried.csv', '--dry-run', '--json', ...more)).out);
    expect(await estimate()).toMatchObject({ credits_max: 0 });
    expect(await estimate('--fresh')).toMatchObject({ credits_max: 2 });
  });

  it('gives answer columns a number if the file has columns of the same name', async () => {
    await writeFile(
      join(folder, 'crm.csv'),
      'email,status,domain,last_name,first_name\nold@a.example,lead,dunera.example,Kirby,Ann\n',
    );
    expect(await quarry('list', 'getEmail', 'crm.csv', '--yes')).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'crm.getEmail.csv'), 'utf8').split('\r\n')[0]).toBe(
      'email,status,domain,last_name,first_name,email 2,confidence,provider,status 2,error_code',
    );
  });
});

// A Linux device on which every write fails.
(existsSync('/dev/full') ? describe : describe.skip)('a full disk', () => {
  it('ends a list with the reason, and a later run continues without paying again', async () => {
    await symlink('/dev/full', join(folder, 'full.csv.part'));
    await writeFile(join(folder, 'some.csv'), 'domain,last_name,first_name\ndunera.example,Full,Laura\n');
    const args = ['list', 'getEmail', 'some.csv', '--yes', '-o', 'full.csv'];
    const full = await quarry(...args);
    expect(full.code).toBe(1);
    expect(full.err).toMatch(/nothing is paid twice\.\nquarry: ENOSPC[^\n]*\n$/);
    const before = await remaining();
    await rm(join(folder, 'full.csv.part'));
    expect((await quarry(...args)).code).toBe(0);
    expect(await remaining()).toBe(before);
  });

  it('is reported for standard output, too', () => {
    const device = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'completion', 'bash'], {
      stdio: ['ignore', device, 'pipe'],
      encoding: 'utf8',
    });
    closeSync(device);
    expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be written: ENOSPC')]);
  });
});

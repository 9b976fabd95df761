import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemCtx } from '@quarry/app';
import { NameServer, RealMailServers, TestAuthority, waitFor } from '@quarry/test-servers';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

type Json = Record<string, unknown>;

/** Domains that look real, because live mode enrols no address of a reserved domain. Postfix keeps all mail for them here. */
const [OURS, THEIRS] = ['quarry-sender.com', 'quarry-contacts.com'];
const [SALES, HELLO] = [`sales@${OURS}`, `hello@${OURS}`];
const [ANN, BOB, NOBODY] = [`ann@${THEIRS}`, `bob@${THEIRS}`, `nobody@${THEIRS}`];
const PASSWORD = 'a password of the spec';
/** Milliseconds. An inbox is read every minute. */
const READ_TIMEOUT_MS = 300_000;
const RENUMBERED = 4711;

const found = RealMailServers.find();
process.stdout.write(
  found
    ? `measured: Postfix ${found.postfix}, Dovecot ${found.dovecot}\n`
    : 'LEFT OUT: outreach with real mail servers. As root, install postfix and dovecot-imapd of Debian to run it.\n',
);

(found ? describe : describe.skip)('outreach with Postfix and Dovecot', () => {
  let authority: TestAuthority;
  let servers: RealMailServers;
  let names: NameServer;
  let product: Product;
  let api: ApiClient;
  let cookie = '';
  let sequenceId: string;

  beforeAll(async () => {
    authority = TestAuthority.make();
    servers = await RealMailServers.start({
      cert: authority.cert,
      key: authority.key,
      domains: [OURS, THEIRS],
      users: Object.fromEntries([SALES, HELLO, ANN, BOB].map((address) => [address, PASSWORD])),
    });
    names = await NameServer.start(() => []);
    product = await startProduct({
      env: {
        RATE_LIMIT_SCALE: '1000',
        LOG_LEVEL: 'warn',
        DNS_SERVERS: names.address,
        FETCH_ALLOW_HOSTS: Object.values(servers.ports)
          .map((port) => `127.0.0.1:${port}`)
          .join(),
        NODE_EXTRA_CA_CERTS: authority.caFile,
      },
    });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
    const { email, password } = product.credentials;
    const opened = await ask('/session', { email, password });
    cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  });
  afterAll(async () => {
    await product?.dispose();
    names?.stop();
    await servers?.stop();
    authority?.remove();
  });

  /** Sends a request as the browser of a person does in the web application. */
  function ask(path: string, body: object): Promise<Response> {
    return fetch(`${product.baseUrl}/app/api${path}`, {
      method: 'POST',
      headers: {
        origin: product.baseUrl,
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
        ...(cookie ? { cookie } : {}),
      },
      body: JSON.stringify(body),
    });
  }

  async function post<Answer = Json>(path: string, body: object): Promise<Answer> {
    const answer = await api.post<Answer>(`/v1${path}`, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async function itemsOf<Item = Json>(path: string): Promise<Item[]> {
    return (await api.get<{ items: Item[] }>(`/v1${path}`)).body.items;
  }

  function connect(address: string, password: string, isTls: boolean): Promise<Response> {
    const { smtps, submission, imaps, imap } = servers.ports;
    const server = (port: number, security: string) => ({
      host: '127.0.0.1',
      port,
      security,
      user: address,
      password,
    });
    return ask('/live/mailboxes', {
      address,
      name: 'Sales',
      daily_limit: 50,
      ramp_up: false,
      gap_seconds: 0,
      smtp: isTls ? server(smtps, 'tls') : server(submission, 'starttls'),
      imap: isTls ? server(imap, 'starttls') : server(imaps, 'tls'),
    });
  }

  async function contacts(): Promise<Map<string, Json>> {
    const items = await itemsOf<Json & { email: string }>(`/sequences/${sequenceId}/enrollments`);
    return new Map(items.map((item) => [item.email, item]));
  }

  async function messagesWith(email: string): Promise<Json[]> {
    const threads = await itemsOf<{ thread_id: string }>(`/inbox/threads?query=${encodeURIComponent(email)}`);
    expect(threads).toHaveLength(1);
    const { body } = await api.get<{ messages: Json[] }>(`/v1/inbox/threads/${threads[0]!.thread_id}`);
    return body.messages;
  }

  /** Returns a mail program's reply to the mail in Ann's inbox. */
  function answer(text: string): { to: string; raw: string } {
    const mail = servers.inbox(ANN)[0]!;
    const header = (name: string): string => new RegExp(`^${name}:\\s*(.*)$`, 'im').exec(mail)![1]!.trim();
    const to = /[^<\s]+@[^>\s]+/.exec(header('From'))![0];
    const lines = [
      `From: Ann <${ANN}>`,
      `To: ${to}`,
      `Subject: Re: ${header('Subject')}`,
      `Date: ${new Date().toUTCString()}`,
      `Message-ID: <${text.length}.${process.hrtime.bigint()}@${THEIRS}>`,
      `In-Reply-To: ${header('Message-ID')}`,
      `References: ${header('Message-ID')}`,
      '',
      text,
      '',
    ];
    return { to, raw: lines.join('\n') };
  }

  it('connects a mailbox if both servers accept the login, and says which one does not', async () => {
    const refused = await connect(SALES, 'another password', true);
    expect(refused.status).toBe(400);
    const { error } = (await refused.json()) as {
      error: { details: Array<{ path: string; message: string }> };
    };
    expect(error.details.map(({ path }) => path).sort()).toEqual(['imap', 'smtp']);
    for (const { message } of error.details)
      expect(message).toContain('did not accept the user name and password');
    for (const [address, isTls] of [
      [SALES, true],
      [HELLO, false],
    ] as const)
      expect((await connect(address, PASSWORD, isTls)).status).toBe(201);
  });

  it('sends a sequence from both', async () => {
    const mailboxes = await itemsOf<{ id: string }>('/mailboxes');
    const workspace = await post<{ id: string }>('/workspaces', { name: 'Mail' });
    const table = await post<{ id: string }>(`/workspaces/${workspace.id}/tables`, {
      name: 'People',
      columns: [
        { key: 'name', name: 'Name', kind: 'text' },
        { key: 'email', name: 'E-mail', kind: 'email' },
      ],
      rows: [ANN, NOBODY, BOB].map((email) => ({ name: `Zoë ${email.split('@')[0]}`, email })),
    });
    const sequence = await post<{ sequence_id: string }>('/sequences', {
      name: 'Real',
      mailbox_ids: mailboxes.map(({ id }) => id),
      time_zone: 'UTC',
      window: { days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], from: '00:00', to: '24:00' },
      steps: [
        { delay_days: 0, subject: 'For {{ name }}', body: 'Grüße, {{ name }}.\n.\nA line of one dot stays.' },
        { delay_days: 3, body: 'Did this reach you?' },
      ],
    });
    sequenceId = sequence.sequence_id;
    const rows = { table_id: table.id, email_column: 'email', allow_unverified: true };
    expect(await post(`/sequences/${sequenceId}/enrollments`, rows)).toMatchObject({ enrolled: 3 });
    const { digest } = await post<{ digest: string }>(`/sequences/${sequenceId}/preview`, {});
    const { approval_id: approvalId } = await post<{ approval_id: string }>(
      `/sequences/${sequenceId}/approvals`,
      { digest },
    );
    const approved = await ask(`/live/approvals/${approvalId}`, { decision: 'approve', digest });
    expect(approved.status).toBe(200);
    await post(`/sequences/${sequenceId}/activate`, { approval_id: approvalId });

    await waitFor('the mails to lie in the inboxes', () =>
      Promise.resolve(servers.inbox(ANN).length === 1 && servers.inbox(BOB).length === 1),
    );
    const senders = [ANN, BOB].map((address) => /^From: .*<(.*)>/m.exec(servers.inbox(address)[0]!)![1]);
    expect(senders.every((each) => [SALES, HELLO].includes(each!))).toBe(true);
    expect(servers.inbox(ANN)[0]).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
    await waitFor('every message to be called sent', async () =>
      [...(await contacts()).values()].every(({ step }) => step === 1),
    );
  });

  it('receives a reply, and cancels what was planned for that contact', async () => {
    const { to, raw } = answer('Thursday would be fine. — Ann');
    servers.send(ANN, to, raw);
    await waitFor(
      'the answer to be read',
      async () => (await contacts()).get(ANN)!.status === 'replied',
      READ_TIMEOUT_MS,
    );
    expect(await messagesWith(ANN)).toMatchObject([
      { direction: 'out', status: 'sent', text: expect.stringContaining('\n.\nA line of one dot stays.') },
      { direction: 'in', kind: 'reply', text: expect.stringContaining('Thursday would be fine. — Ann') },
    ]);
    expect((await contacts()).get(BOB)).toMatchObject({ status: 'active', step: 1 });
  });

  it('receives a bounce report, and writes to the address no more', async () => {
    await waitFor(
      'the report to be read',
      async () => (await contacts()).get(NOBODY)!.status === 'bounced',
      READ_TIMEOUT_MS,
    );
    expect(await itemsOf('/suppressions')).toMatchObject([
      { kind: 'address', value: NOBODY, reason: 'hard_bounce' },
    ]);
  });

  it('reads nothing twice after the server has renumbered its inboxes', async () => {
    const before = await Promise.all([ANN, NOBODY].map(messagesWith));
    const { to, raw } = answer('One more thing.');
    for (const address of [SALES, HELLO]) {
      expect(servers.uidvalidity(address)).not.toBe(RENUMBERED);
      servers.renumber(address, RENUMBERED);
      expect(servers.uidvalidity(address)).toBe(RENUMBERED);
    }
    const mails = servers.inbox(SALES).length + servers.inbox(HELLO).length;
    expect(mails).toBeGreaterThanOrEqual(2);
    servers.send(ANN, to, raw);
    const seen = async () => {
      const row = await product.database!.database.queryOne<{ n: number }>(
        systemCtx('spec'),
        "SELECT count(*)::int AS n FROM outreach.seen_mails WHERE folder = 'INBOX' AND uidvalidity = $1",
        [RENUMBERED],
      );
      return row!.n;
    };
    await waitFor(
      'every mail to be read again, and the new one',
      async () => (await seen()) === mails + 1,
      READ_TIMEOUT_MS,
    );
    const [ann, nobody] = await Promise.all([ANN, NOBODY].map(messagesWith));
    expect(nobody).toEqual(before[1]);
    // There is no other mail.
    expect(await itemsOf('/inbox/threads')).toHaveLength(2);
    expect(ann!.slice(0, -1)).toEqual(before[0]);
    expect(ann!.at(-1)).toMatchObject({ direction: 'in', text: expect.stringContaining('One more thing.') });
    const { body } = await api.get<{ totals: Json }>(`/v1/sequences/${sequenceId}/stats`);
    expect(body.totals).toMatchObject({ sent: 3, replied: 1, bounced: 1 });
    expect(await itemsOf('/suppressions')).toHaveLength(1);
    expect([ANN, BOB].map((address) => servers.inbox(address).length)).toEqual([1, 1]);
  });
});

import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { verifyWebhook } from './webhook.js';

const SECRET = `whsec_${Buffer.from('s'.repeat(32)).toString('base64')}`;
const OTHER = `whsec_${Buffer.from('o'.repeat(32)).toString('base64')}`;
const BODY = JSON.stringify({ id: 'evt_1', type: 'run.completed', subject: 'run_1', seq: 3, data: {} });
const now = (): number => Math.floor(Date.now() / 1000);

function signed(body: string, { secrets = [SECRET], at = now() } = {}): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(6), 'base64');
    return `v1,${createHmac('sha256', key).update(`evt_1.${at}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(at),
    'webhook-signature': signatures.join(' '),
  };
}

describe('a webhook', () => {
  it('is accepted if its signature is valid, with either secret of a rotation', async () => {
    expect(await verifyWebhook(BODY, signed(BODY), SECRET)).toMatchObject({ id: 'evt_1', seq: 3 });
    expect(await verifyWebhook(Buffer.from(BODY), new Headers(signed(BODY)), [OTHER, SECRET])).toMatchObject({
      id: 'evt_1',
    });
    expect(await verifyWebhook(BODY, signed(BODY, { secrets: [OTHER, SECRET] }), SECRET)).toMatchObject({
      id: 'evt_1',
    });
  });

  it('is accepted with headers in any case', async () => {
    const headers = Object.entries(signed(BODY)).map(([name, value]) => [name.toUpperCase(), value] as const);
    const event = await verifyWebhook(BODY, { ':path': '/hooks', ...Object.fromEntries(headers) }, SECRET);
    expect(event).toMatchObject({ id: 'evt_1' });
  });

  it.each(['', 'whsec_', `"${SECRET}"`, 'whsec_not base64!'])(
    'is never accepted with the secret %s',
    async (secret) => {
      // Signed with the key of one zero byte.
      const headers = signed(BODY, { secrets: ['whsec_AA=='] });
      await expect(verifyWebhook(BODY, headers, secret)).rejects.toThrow(TypeError);
    },
  );

  it.each([
    ['another body', signed('{}'), SECRET],
    ['another secret', signed(BODY), OTHER],
    ['another id', { ...signed(BODY), 'webhook-id': 'evt_2' }, SECRET],
    ['an old timestamp', signed(BODY, { at: now() - 600 }), SECRET],
    ['a timestamp in the future', signed(BODY, { at: now() + 600 }), SECRET],
    ['no time', { ...signed(BODY), 'webhook-timestamp': 'soon' }, SECRET],
    ['a signature that is no base64', { ...signed(BODY), 'webhook-signature': 'v1,?' }, SECRET],
    ['no signature', { ...signed(BODY), 'webhook-signature': 'v1,' }, SECRET],
    ['a missing header', {}, SECRET],
  ])('with %s is refused', async (_what, headers, secret) => {
    await expect(verifyWebhook(BODY, headers, secret)).rejects.toThrow(/message|header|signature/);
  });
});

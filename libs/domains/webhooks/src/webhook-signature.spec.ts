import { describe, expect, it } from '@jest/globals';
import { newWebhookSecret, signedHeaders } from './webhook-signature.js';

/** Source: test data of the Standard Webhooks libraries. */
const PUBLISHED = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  message: { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' },
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

describe('the signature of a webhook', () => {
  it('matches the published example', () => {
    const { secret, message, signature } = PUBLISHED;
    expect(signedHeaders([secret], message)).toEqual({
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    });
  });

  it('is sent once for each secret, the newest first', () => {
    const other = newWebhookSecret();
    const header = signedHeaders([other, PUBLISHED.secret], PUBLISHED.message)['webhook-signature']!;
    const [first, second, ...rest] = header.split(' ');
    expect([second, rest]).toEqual([PUBLISHED.signature, []]);
    expect(first).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(first).not.toBe(PUBLISHED.signature);
  });

  it('is made with 32 random bytes', () => {
    const [one, two] = [newWebhookSecret(), newWebhookSecret()];
    expect(one).not.toBe(two);
    expect(Buffer.from(one.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
  });
});

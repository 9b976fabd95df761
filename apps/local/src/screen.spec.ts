import { describe, expect, it } from '@jest/globals';
import { welcomeScreen } from './screen.js';

const CREDENTIALS = {
  base_url: 'http://127.0.0.1:8000',
  app_url: 'http://127.0.0.1:8000',
  api_key: 'qk_live_key',
  test_key: 'qk_test_key',
  email: 'a@b.example',
  password: 'secret',
};

describe('the screen of a start', () => {
  it('shows the key that this start has made, once and no other secret', () => {
    const screen = welcomeScreen(CREDENTIALS, '/data/credentials.json', true);
    expect(screen.split('qk_live_key')).toHaveLength(2);
    expect(screen).not.toMatch(/qk_test_key|secret/);
  });

  it('says where the key is that an earlier start has made, and shows it no more', () => {
    const screen = welcomeScreen(CREDENTIALS, '/data/credentials.json', false);
    expect(screen).not.toMatch(/qk_live_key|qk_test_key|secret/);
    expect(screen).toContain('/data/credentials.json');
  });
});

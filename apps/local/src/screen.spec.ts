import { describe, expect, it } from '@jest/globals';
import { welcomeScreen } from './screen.js';

const CREDENTIALS = {
  base_url: 'http://127.0.0.1:8000',
  app_url: 'http://127.0.0.1:8000/app',
  api_key: 'qk_live_key',
  test_key: 'qk_test_key',
  email: 'a@b.example',
  password: 'secret',
};

const PLACES = {
  link: 'http://127.0.0.1:8000/app/login#once',
  file: '/data/credentials.json',
  data: { searched: { companies: ['sandbox'], people: ['sandbox'] }, directories: [] },
};

describe('the start screen', () => {
  it('shows the API key created by this start, once, and no other secret', () => {
    const screen = welcomeScreen(CREDENTIALS, { ...PLACES, isFirst: true });
    expect(screen.split('qk_live_key')).toHaveLength(2);
    expect(screen).not.toMatch(/qk_test_key|secret/);
  });

  it('says where the key of an earlier start is stored, and does not show it again', () => {
    const screen = welcomeScreen(CREDENTIALS, { ...PLACES, isFirst: false });
    expect(screen).not.toMatch(/qk_live_key|qk_test_key|secret/);
    expect(screen).toContain('/data/credentials.json');
  });

  it('starts with the sign-in link of the web application', () => {
    const screen = welcomeScreen(CREDENTIALS, { ...PLACES, isFirst: false });
    expect(/https?:\S+/.exec(screen)?.[0]).toBe(PLACES.link);
  });

  it('quotes URLs with a query, which the macOS shell would read as a pattern', () => {
    const screen = welcomeScreen(CREDENTIALS, { ...PLACES, isFirst: false });
    expect(screen.match(/\S*\?\w+=\S*/g)).toEqual([
      '"http://127.0.0.1:8000/v1/runs/$RUN?wait_seconds=60"',
      '"http://127.0.0.1:8000$ROWS?limit=3"',
    ]);
  });

  it('names the sandbox if that is searched', () => {
    const screen = welcomeScreen(CREDENTIALS, { ...PLACES, isFirst: false });
    expect(screen).toContain('Searches for companies read the sandbox, a fictional directory.');
    expect(screen).toContain('Searches for people read the sandbox, a fictional directory.');
  });

  it('names imported data, and the vendors searched after it', () => {
    const directories = [{ kind: 'companies' as const, name: 'nobel', rowCount: 1685 }];
    const searched = { companies: ['directory:nobel', 'people-data-labs'], people: ['people-data-labs'] };
    const data = { searched, directories };
    const screen = welcomeScreen(CREDENTIALS, { ...PLACES, isFirst: false, data });
    expect(screen).toContain('companies read your own nobel (1,685 rows), then people-data-labs.');
    expect(screen).toContain('Searches for people read people-data-labs.');
    expect(screen).not.toContain('sandbox');
  });

  it('says what to do if there is nothing to search, and nothing if that is unknown', () => {
    const screenOf = (searched: { companies: string[]; people: string[] } | null): string =>
      welcomeScreen(CREDENTIALS, { ...PLACES, isFirst: false, data: { searched, directories: [] } });
    expect(screenOf({ companies: [], people: [] })).toContain(
      'no companies are imported (npm run admin -- directory:import)',
    );
    expect(screenOf(null)).not.toContain('Searches');
  });
});

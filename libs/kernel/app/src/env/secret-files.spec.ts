import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { IsOptional, IsString, MinLength } from 'class-validator';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EnvVar, loadEnv } from './env.js';

class SampleEnv {
  @EnvVar({ group: 'limits', description: 'A secret.', secret: true })
  @IsString()
  @MinLength(4)
  SECRET!: string;

  @EnvVar({ group: 'limits', description: 'No secret.' })
  @IsOptional()
  @IsString()
  PLAIN?: string;
}

describe('a secret in a file', () => {
  let dir: string;
  const file = (name: string): string => join(dir, name);
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'quarry-env-'));
    writeFileSync(file('good'), 'from a file\n');
    writeFileSync(file('short'), 'abc\n');
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  it('is read without its trailing newline; the variable itself takes precedence', () => {
    expect(loadEnv(SampleEnv, { SECRET_FILE: file('good') }).SECRET).toBe('from a file');
    expect(loadEnv(SampleEnv, { SECRET: 'given', SECRET_FILE: file('good') }).SECRET).toBe('given');
  });

  it('is validated like a given value, and never shown', () => {
    const load = () => loadEnv(SampleEnv, { SECRET_FILE: file('short') });
    expect(load).toThrow(/SECRET: .*4/);
    expect(load).not.toThrow(/abc/);
  });

  it('is named if it cannot be read; variables that are no secrets have no file', () => {
    const missing = file('missing');
    expect(() => loadEnv(SampleEnv, { SECRET_FILE: missing })).toThrow(
      `SECRET_FILE: cannot be read (ENOENT, it is "${missing}")`,
    );
    expect(loadEnv(SampleEnv, { SECRET: 'given', PLAIN_FILE: file('good') }).PLAIN).toBeUndefined();
  });
});

describe('a value with spaces around it', () => {
  it('is read without them; a value of spaces counts as not set', () => {
    expect(loadEnv(SampleEnv, { SECRET: ' given\n', PLAIN: '  ' })).toEqual({ SECRET: 'given' });
  });
});

describe('a renamed variable', () => {
  class RenamedEnv {
    @EnvVar({ group: 'secrets', description: 'Keys.', secret: true })
    @IsOptional()
    @IsString()
    ENCRYPTION_KEYS?: string;

    @EnvVar({ group: 'limits', description: 'Milliseconds.' })
    @IsOptional()
    @IsString()
    SHUTDOWN_DELAY_MS?: string;
  }
  afterEach(() => void jest.restoreAllMocks());

  it('is still read by its old name, with a warning; the new name takes precedence', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    expect(loadEnv(RenamedEnv, { LEAVE_MS: '5', SECRETS_KEY: 'key' })).toMatchObject({
      SHUTDOWN_DELAY_MS: '5',
      ENCRYPTION_KEYS: 'key',
    });
    expect(loadEnv(RenamedEnv, { LEAVE_MS: '5', SHUTDOWN_DELAY_MS: '6' }).SHUTDOWN_DELAY_MS).toBe('6');
    expect(warn.mock.calls.map(([text]) => text)).toEqual([
      'SECRETS_KEY was renamed to ENCRYPTION_KEYS; the old name works until release 0.3.',
      'LEAVE_MS was renamed to SHUTDOWN_DELAY_MS; the old name works until release 0.3.',
    ]);
  });
});

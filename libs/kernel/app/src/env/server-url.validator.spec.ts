import { describe, expect, it } from '@jest/globals';
import { Transform } from 'class-transformer';
import { EnvVar, loadEnv, toList } from './env.js';
import { IsNetworkList, IsServerUrl } from './server-url.validator.js';

class SampleEnv {
  @EnvVar({ group: 'limits', description: 'A server.' })
  @IsServerUrl('redis', 'rediss')
  SERVER: string = 'redis://127.0.0.1';

  @EnvVar({ group: 'limits', description: 'Networks.' })
  @Transform(toList)
  @IsNetworkList()
  NETWORKS: string[] = [];
}

const accepts = (source: Record<string, string>): boolean => {
  try {
    loadEnv(SampleEnv, source);
    return true;
  } catch {
    return false;
  }
};

describe('a server URL in the environment', () => {
  it.each(['redis://h', 'rediss://u:p%40@h:1/2', 'redis://[::1]:6379'])('may be %s', (url) =>
    expect(accepts({ SERVER: url })).toBe(true),
  );
  it.each(['redis://', 'http://h', 'h:6379', 'redis://[/x'])('may not be %s', (url) =>
    expect(accepts({ SERVER: url })).toBe(false),
  );
});

describe('a list of networks', () => {
  it.each(['10.0.0.0/8', '::1,fd00::/8', '127.0.0.1'])('may be %s', (list) =>
    expect(accepts({ NETWORKS: list })).toBe(true),
  );
  it.each(['300.1.1.1', '10.0.0.0/33', '10.0.0.0/8/8', 'proxy', '1.2.3.4/x'])('may not be %s', (list) =>
    expect(accepts({ NETWORKS: list })).toBe(false),
  );
});

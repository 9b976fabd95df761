import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const APPS = ['gateway', 'tables', 'runs-agent', 'jobs-worker', 'admin'];

describe('the Dockerfile', () => {
  const text = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const targets = new Map(
    text
      .split(/^FROM /m)
      .slice(1)
      .map((stage) => [/ AS (\S+)/.exec(stage)![1]!, stage]),
  );

  it('has a target for each shipped app, with the same Node flags and allocator settings as elsewhere', async () => {
    const { nodeFlagsOf, MALLOC } = (await import('./node-flags.mjs' as string)) as {
      nodeFlagsOf: (app: string) => string[];
      MALLOC: Record<string, string>;
    };
    const settings = Object.entries(MALLOC).map(([name, value]) => `${name}=${value}`);
    expect(targets.get('base')).toContain(`ENV ${settings.join(' ')}\n`);
    expect([...targets.keys()]).toEqual(['build', 'base', ...APPS]);
    for (const app of APPS) {
      const command = [...nodeFlagsOf(app), `apps/${app}/dist/bundle/main.js`].map((word) =>
        JSON.stringify(word),
      );
      expect(targets.get(app)).toContain(command.join(', '));
      expect(targets.get(app)).toContain(`COPY --from=build /files/${app}/app /app`);
    }
    // Suites, apps that combine others on one machine, the files that the gateway serves, and the installed command line.
    const suites = ['e2e', 'faults', 'local', 'fleet', 'web', 'cli'];
    expect(
      readdirSync(join(ROOT, 'apps'))
        .filter((app) => !suites.includes(app))
        .sort(),
    ).toEqual([...APPS].sort());
  });

  it('runs nothing as root, and has no step after the files are copied', () => {
    expect(targets.get('base')).toMatch(/^USER 65532:65532$/m);
    for (const app of APPS) {
      expect(targets.get(app)).toMatch(/^base AS /);
      expect(targets.get(app)).not.toMatch(/^(USER|RUN|ADD) /m);
    }
  });
});

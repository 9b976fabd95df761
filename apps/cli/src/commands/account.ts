import { Quarry } from '@quarry/sdk';
import { EXIT, UsageError } from '../exit-codes.js';
import { checkServerUrl } from '../profiles.js';
import type { QuarryCommand } from '../quarry-command.js';

/** Sections of the web application by id prefix. */
const SECTIONS: Readonly<Record<string, string>> = {
  run: 'runs',
  tbl: 'tables',
  svcbatch: 'batches',
  seq: 'sequences',
  mon: 'monitors',
  gorun: 'go',
};
/** Prefixes with pages of their own; the others are shown in the list of their section. */
const PAGES_OF_THEIR_OWN = new Set(['run', 'tbl', 'svcbatch', 'seq']);

/** Adds the commands for signing in, profiles, and the state of the server. */
export function addAccountCommands(program: QuarryCommand): void {
  program
    .command('login')
    .description('Stores an API key for a server. The key is typed in or read from standard input.')
    .option('--url <url>', 'address of the Quarry server', 'http://localhost:3000')
    .option('--name <name>', 'name of the profile (default: --profile, else "default")')
    .withSession(async (session, options: { url: string; name?: string }) => {
      const { url, name = session.options.profile ?? 'default' } = options;
      checkServerUrl(url, '--url');
      // Never an option: other users can read the arguments of processes.
      const question = `API key of ${url} (Settings, API keys): `;
      const apiKey = (await session.ask(process.stdin.isTTY ? question : '', { isSecret: true })).trim();
      if (apiKey === '')
        throw new UsageError(
          'No key was given. Type it in, or pipe it to standard input.',
          EXIT.notAuthenticated,
        );
      const { remaining } = await new Quarry({ baseUrl: url, apiKey }).credits.get();
      session.profiles.saveProfile({ name, url, apiKey });
      session.say(`Signed in to ${url}${isTestKey(apiKey) ? ' [test]' : ''}: ${remaining} credits remain.`);
    });

  program
    .command('logout')
    .description('Deletes a profile with its key.')
    .argument('[name]', 'profile (default: --profile, else the current one)')
    .withSession((session, name: string | undefined) => {
      session.say(
        session.profiles.removeProfile(name ?? session.options.profile)
          ? 'The profile is deleted.'
          : 'There is no such profile.',
      );
    });

  program
    .command('whoami')
    .description('Shows the server, the key and the remaining credits.')
    .withSession(async (session) => {
      const { name, url, apiKey } = session.profile;
      const { remaining } = await session.quarry.credits.get();
      const mode = isTestKey(apiKey) ? 'test' : 'live';
      await session.writeDocument({ profile: name, url, mode, remaining });
    });

  const profile = program.command('profile').description('Stored servers and keys.');
  profile
    .command('list')
    .description('Lists profiles.')
    .withSession(async (session) => {
      await session.writeRows(session.profiles.listProfiles(), ['name', 'url', 'is_current']);
    });
  profile
    .command('use')
    .description('Makes a profile the current one.')
    .argument('<name>', 'the profile; “quarry profile list” shows all')
    .withSession((session, name: string) => session.profiles.selectProfile(name));

  program
    .command('open')
    .description('Prints the address of a resource in the web application.')
    .argument(
      '[id]',
      `${Object.keys(SECTIONS)
        .map((kind) => `${kind}_…`)
        .join(', ')}; default: the start page`,
    )
    .withSession(async (session, id: string | undefined) => {
      const { url, apiKey } = session.profile;
      const address = new URL(`app/${id === undefined ? '' : pathOf(id)}`, withSlash(url));
      if (isTestKey(apiKey)) address.searchParams.set('mode', 'test');
      const output = session.openOutput();
      if (output.isForPeople) await output.write(`${address.href}\n`);
      else await output.writeDocument({ url: address.href });
    });

  program
    .command('doctor')
    .description('Checks the server, the key and the clock, and says what to fix.')
    .withSession(async (session) => {
      const { name, url } = session.profile;
      session.say(`profile   ${name}`);
      const health = await fetch(new URL('readyz', withSlash(url)), {
        signal: AbortSignal.timeout(10_000),
      }).catch(() => null);
      if (!health)
        throw new UsageError(
          `${url} does not answer. Check that Quarry is running and that QUARRY_URL is right.`,
          EXIT.tryLater,
        );
      session.say(`server    ${health.ok ? 'ready' : `not ready (${health.status}): see its log`}`);
      const aheadSeconds = (Date.now() - Date.parse(health.headers.get('date') ?? '')) / 1000;
      const isClockRight = Math.abs(aheadSeconds) <= 60;
      session.say(
        `clock     ${isClockRight ? 'right' : `${aheadSeconds.toFixed(0)} s off: webhook signatures will fail`}`,
      );
      const { remaining } = await session.quarry.credits.get();
      session.say(`key       valid, ${remaining} credits remain`);
      const services: string[] = [];
      for await (const { name: service, available } of session.quarry.services.list())
        if (!available) services.push(service);
      session.say(
        `services  ${services.length === 0 ? 'all available' : `not available: ${services.join(', ')}. “quarry providers” shows which vendors could answer them.`}`,
      );
      const output = session.openOutput();
      if (!output.isForPeople)
        await output.writeDocument({
          profile: name,
          url,
          ready: health.ok,
          clock_right: isClockRight,
          remaining,
          unavailable_services: services,
        });
      if (!health.ok) process.exitCode = EXIT.tryLater;
    });
}

/** @throws UsageError when the web application has no page for the id */
function pathOf(id: string): string {
  const [kind = ''] = id.split('_');
  if (!Object.hasOwn(SECTIONS, kind))
    throw new UsageError(
      `${id} has no page; give an id that begins with ${Object.keys(SECTIONS).join('_, ')}_.`,
    );
  const section = SECTIONS[kind]!;
  return PAGES_OF_THEIR_OWN.has(kind) ? `${section}/${encodeURIComponent(id)}` : section;
}

function isTestKey(apiKey: string): boolean {
  return apiKey.startsWith('qk_test_');
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}

import type { Api, FastServices, Quarry } from '@quarry/sdk';
import { UsageError } from '../exit-codes.js';
import { readJson } from '../files.js';
import { describeService, takesText } from '../service-text.js';
import { formatCount } from '../screen.js';
import { SLOW_SERVICES } from './list.js';
import type { QuarryCommand } from '../quarry-command.js';

/** Adds the commands for fast services and the catalogue. */
export function addCallCommands(program: QuarryCommand): void {
  program
    .command('call')
    .description('Calls a fast service, and prints its answer and cost.')
    .argument('<service>', 'name of the service, such as findDomain; “quarry services” lists all')
    .argument('[input...]', 'key=value; a number or a list as JSON. “quarry services SERVICE” shows the keys')
    .option('--input <file>', 'the input as JSON; - for standard input')
    .withSession(async (session, name: string, pairs: string[], { input: path }: { input?: string }) => {
      if (Object.hasOwn(SLOW_SERVICES, name))
        throw new UsageError(`${name} is a slow service: quarry list ${name} FILE.csv runs it over a file.`);
      const input = {
        ...(path === undefined ? {} : readJson(path)),
        ...(await readPairs(session.quarry, name, pairs)),
      };
      const service = name as keyof FastServices;
      const answer = await session.quarry.services.call(service, input as FastServices[typeof service][0]);
      const { output, credits } = answer as Api.ServiceAnswer;
      session.say(`${formatCount(credits.charged, 'credit')}, ${credits.remaining} remain`);
      const written = session.openOutput();
      if (session.options.json) return written.writeDocument({ ...answer });
      // A list is printed as rows; fields beside it, such as the provider, are shown with --json.
      const { items } = output as { items?: Array<Record<string, unknown>> };
      if (Array.isArray(items)) return written.writeRows(items);
      await written.writeDocument(output as Record<string, unknown>);
    });

  program
    .command('services')
    .description('Lists services with prices, or shows one with its input.')
    .argument('[name]', 'name of a service, such as getEmail (default: all)')
    .withSession(async (session, name: string | undefined) => {
      const output = session.openOutput();
      if (name !== undefined) {
        const service = await session.quarry.services.get(name);
        return output.isForPeople ? output.write(describeService(service)) : output.writeDocument(service);
      }
      const rows: Api.ServiceSummary[] = [];
      for await (const each of session.quarry.services.list()) rows.push(each);
      await output.writeRows(
        session.options.json
          ? rows
          : rows.map(({ name: service, mode, price, available, title }) => ({
              name: service,
              mode,
              credits: price.hit,
              per: price.unit,
              available,
              title,
            })),
      );
    });
}

/** Values that are parsed as JSON: numbers, booleans, lists and objects. Texts need no quotes. */
const JSON_LIKE = /^(-?\d+(\.\d+)?|true|false|\[.*\]|\{.*\})$/s;

/**
 * Parses the inputs of a service. Reads the service's schema only when a value may be a text or JSON, such as a name made of
 * digits.
 * @throws UsageError for an argument that is not key=value
 */
export async function readPairs(
  quarry: Quarry,
  service: string,
  pairs: readonly string[],
): Promise<Record<string, unknown>> {
  const given = pairs.map(pairOf);
  if (!given.some(([, value]) => JSON_LIKE.test(value))) return Object.fromEntries(given);
  const { input_schema: schema } = await quarry.services.get(service);
  return Object.fromEntries(
    given.map(([key, value]) => [key, takesText(schema, key) ? value : valueOf(value)]),
  );
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`An input must be key=value, not ${text}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function valueOf(text: string): unknown {
  if (!JSON_LIKE.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

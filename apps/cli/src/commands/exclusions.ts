import { existsSync } from 'node:fs';
import { ApiError, type ExclusionKind } from '@quarry/sdk';
import { Argument } from 'commander';
import { openCsvFile } from '../csv-file.js';
import { EXIT, UsageError } from '../exit-codes.js';
import { formatCount } from '../screen.js';
import type { Session } from '../session.js';
import type { QuarryCommand } from '../quarry-command.js';

/** The most entries of one request. Source: description of the API, ExclusionItemsRequest. */
const ITEMS_MAX = 1_000;

/** Columns of a file, the preferred ones first. A domain does not identify people, only their company. */
const COLUMNS: Readonly<Record<ExclusionKind, readonly RegExp[]>> = {
  companies: [/domain|website/i, /linkedin|url/i],
  people: [/linkedin/i, /domain|website|url/i],
};

interface Item {
  domain?: string;
  linkedin_url?: string;
}

/** Counts of a change, and rejected items; deleting rejects none. */
type Answer = object & { rejected?: ReadonlyArray<{ index: number; message: string }> };

/** Adds the commands for exclusions: companies and people that no run may return. */
export function addExclusionCommands(program: QuarryCommand): void {
  const exclusions = program
    .command('exclusions')
    .description('Companies (by domain) and people (by LinkedIn address) that no run returns.');
  const add = (name: string, description: string): QuarryCommand =>
    exclusions
      .command(name)
      .description(description)
      .addArgument(new Argument('<kind>', 'which list').choices(['companies', 'people']));

  add('list', 'Lists them.').withSession(async (session, kind: ExclusionKind) => {
    await session.writeRows(session.quarry.exclusions.list(kind), [
      'domain',
      'linkedin_url',
      'created_at',
      'updated_at',
    ]);
  });
  for (const [name, description] of [
    ['add', 'Adds entries.'],
    ['remove', 'Deletes entries.'],
  ] as const)
    add(name, description)
      .argument('<entries...>', 'domains or LinkedIn addresses, or one CSV file of them')
      .withSession(async (session, kind: ExclusionKind, entries: string[]) => {
        const { exclusions: lists } = session.quarry;
        const items = await itemsOf(session, kind, entries);
        if (items.length === 0) throw new UsageError('The file has no entries.');
        const answers: Answer[] = [];
        for (let at = 0; at < items.length; at += ITEMS_MAX) {
          const body = { items: items.slice(at, at + ITEMS_MAX) };
          answers.push(name === 'add' ? await lists.add(kind, body) : await lists.delete(kind, body));
        }
        await writeAnswer(session, sumOf(answers), items);
      });
  add('sync', 'Replaces the entries of a source with those of a file; --dry-run shows the differences.')
    .argument('<file>', 'CSV')
    .option('--source <name>', 'name of the source', 'quarry-cli')
    .option('--dry-run', 'change nothing')
    .withSession(
      async (session, kind: ExclusionKind, file: string, options: { source: string; dryRun?: boolean }) => {
        const items = await itemsOfFile(session, kind, file);
        const sync = (dryRun: boolean) =>
          session.quarry.exclusions
            .sync(kind, { source: options.source, items, dry_run: dryRun })
            .catch(explainTooLarge);
        let answer = await sync(true);
        if (options.dryRun !== true) {
          // Such a file rather comes from a failed export than from a user who wants to empty the list.
          if (answer.rejected.length === items.length)
            throw new UsageError(
              `The file has no valid entry${answer.rejected[0] ? ` (${answer.rejected[0].message})` : ''}: all entries of “${options.source}” would be deleted. To delete them, use: quarry exclusions remove`,
            );
          answer = await sync(false);
        }
        await writeAnswer(session, answer, items);
      },
    );
}

/** Combines the answers of several requests for one list. */
function sumOf(answers: readonly Answer[]): Answer {
  return answers.reduce((sum, each, request) => ({
    ...Object.fromEntries(
      Object.entries(sum).map(([key, count]) => [key, Number(count) + Number(each[key as keyof Answer])]),
    ),
    ...(sum.rejected && {
      rejected: [
        ...sum.rejected,
        ...(each.rejected ?? []).map(({ index, message }) => ({
          index: request * ITEMS_MAX + index,
          message,
        })),
      ],
    }),
  }));
}

/**
 * Prints the counts of a change, and the rejected entries. With any of them the command ends as done in part, because a rejected
 * entry will be sourced.
 */
async function writeAnswer(session: Session, answer: Answer, items: readonly Item[]): Promise<void> {
  await session.writeDocument({ ...answer });
  for (const { index, message } of answer.rejected ?? []) {
    const { domain, linkedin_url: url } = items[index]!;
    session.say(`! ${domain ?? url}: ${message}`);
    process.exitCode = EXIT.partly;
  }
}

/** @throws UsageError for a list that exceeds one request: a source can only be replaced as a whole */
function explainTooLarge(error: unknown): never {
  if (error instanceof ApiError && error.status === 413)
    throw new UsageError(
      `The file is too large for one request (about 40,000 domains). Split it, and give each part a --source of its own.`,
    );
  throw error;
}

async function itemsOf(session: Session, kind: ExclusionKind, entries: readonly string[]): Promise<Item[]> {
  const isFile = entries.length === 1 && (/\.csv$/i.test(entries[0]!) || existsSync(entries[0]!));
  return isFile ? itemsOfFile(session, kind, entries[0]!) : entries.map(itemOf);
}

async function itemsOfFile(session: Session, kind: ExclusionKind, path: string): Promise<Item[]> {
  const file = await openCsvFile(path);
  const { header } = file;
  const columns = COLUMNS[kind].map((named) => header.findIndex((name) => named.test(name)));
  const at = columns.find((column) => column >= 0) ?? -1;
  const first = header[Math.max(0, at)]!;
  if (at < 0 && !first.includes('.'))
    throw new UsageError('The file has no column “domain” or “linkedin_url”.');
  // A file without a header begins with an entry.
  const items = at < 0 || isEntry(first) ? [itemOf(first)] : [];
  let blank = 0;
  for await (const record of file.records()) {
    const text = record[Math.max(0, at)]?.trim();
    if (text) items.push(itemOf(text));
    else blank += 1;
  }
  if (blank > 0) session.say(`! ${formatCount(blank, 'row')} skipped: the column “${first}” is empty`);
  return items;
}

/**
 * Returns whether a text is an entry rather than a heading that contains the same words: linkedin.com/in/ada, but not
 * “company.domain”.
 */
function isEntry(text: string): boolean {
  return /^\S+\.[a-z]{2,}(\/\S*)?$/i.test(text) && !/\.(domain|website|linkedin|url)$/i.test(text);
}

function itemOf(text: string): Item {
  return /linkedin\.com\//i.test(text) ? { linkedin_url: text } : { domain: text };
}

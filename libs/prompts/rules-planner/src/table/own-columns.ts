import type { Entity, IntentColumn, PlanColumn, TableProfile } from '@quarry/plan';
import { hasUsualInputs, resolveAttribute } from '@quarry/plan-compiler';
import { attributeNamed } from '@quarry/directory';
import type { Draft } from '../language/draft.js';
import type { SayIn } from '../prompt-origin.js';

/** Columns that a prompt about a table requests, and those without a source. */
export interface RequestedColumns {
  readonly columns: IntentColumn[];
  readonly notes: string[];
  readonly notUnderstood: string[];
}

/** Services that find the values of directory attributes for rows of a table. */
const FOUND_BY: ReadonlyMap<string, string> = new Map([
  ['technologies', 'detectTech'],
  ['company_technologies', 'detectTech'],
  ['linkedin_url', 'findLinkedInUrl'],
]);

export type OwnColumn = Pick<PlanColumn, 'key' | 'name' | 'kind'>;

/** Returns the table's columns that the prompt lists, and the requested paid ones that the table does not have. */
export function requestedColumns(
  table: TableProfile,
  draft: Draft,
  entity: Entity,
  say: SayIn,
): RequestedColumns {
  const own = table.columns;
  const columns = own.flatMap(({ key }): IntentColumn[] => {
    const texts = draft.tableColumns.filter((listed) => listed.key === key).map(({ text }) => text);
    if (texts.length === 0) return [];
    return [{ source: { from: 'table', column: key }, required: false, ...say(...texts) }];
  });
  const notes: string[] = [];
  const notUnderstood: string[] = [];
  for (const { attribute, isRequired, text } of draft.wanted) {
    const resolved = resolveAttribute(attribute, entity) ?? resolveAttribute(attribute, 'person');
    const isPaid = resolved?.source.from === 'service';
    const finder = resolved ? FOUND_BY.get(resolved.key) : undefined;
    const known = resolved && ownColumnFor(resolved, own, isPaid);
    if (known && isPaid)
      notes.push(`“${text}” is the table’s own column “${known.name || known.key}”; nothing was looked up.`);
    else if (resolved && isPaid && resolveAttribute(attribute, entity))
      columns.push({ source: resolved.source, required: isRequired, ...say(text) });
    else if (finder !== undefined && !known && hasUsualInputs(finder, entity, table))
      columns.push({ source: { from: 'service', service: finder }, required: isRequired, ...say(text) });
    else if (!known) notUnderstood.push(text);
  }
  return { columns, notes, notUnderstood };
}

/** Returns the column of the table for a value: by its key, for a paid attribute by its kind, else by its name. */
export function ownColumnFor(
  wanted: OwnColumn,
  own: readonly OwnColumn[],
  isPaid: boolean,
): OwnColumn | undefined {
  return (
    own.find(({ key }) => key === wanted.key) ??
    own.find(({ kind, name, key }) =>
      isPaid ? kind === wanted.kind : attributeNamed(name || key)?.key === wanted.key,
    )
  );
}

import { resolveAttribute } from '../columns/plan-columns.js';
import type { Draft } from '../language/draft.js';
import { attributeNamed } from '../language/recognisers/column.recogniser.js';
import type { Entity, PlanColumn } from '../run-plan.js';

/** Columns of a run over a table, and wanted ones that nobody can fill. */
export interface ChosenColumns {
  readonly columns: PlanColumn[];
  readonly notes: string[];
  readonly notUnderstood: string[];
}

export type OwnColumn = Pick<PlanColumn, 'key' | 'name' | 'kind'>;

/** The table's own columns, or those that the prompt lists, and the paid ones that it asks for and the table has not. */
export function chooseTableColumns(own: readonly OwnColumn[], draft: Draft, entity: Entity): ChosenColumns {
  const listed = own.filter(({ key }) => draft.tableColumns.includes(key));
  const columns = (listed.length > 0 ? listed : own).map(({ key, name, kind }): PlanColumn => ({
    key,
    name: name || key,
    kind,
    required: false,
    qualification: {},
    source: { from: 'table', column_key: key },
  }));
  const notes: string[] = [];
  const notUnderstood: string[] = [];
  for (const { attribute, isRequired, text } of draft.wanted) {
    const resolved = resolveAttribute(attribute, entity) ?? resolveAttribute(attribute, 'person');
    const isPaid = resolved?.source.from === 'service';
    const known = resolved && ownColumnFor(resolved, own, isPaid);
    if (known && isPaid)
      notes.push(`“${text}” is the table’s own column “${known.name || known.key}”; nothing was looked up.`);
    else if (resolved && isPaid && resolveAttribute(attribute, entity))
      columns.push({ ...resolved, required: isRequired, qualification: {} });
    else if (!known) notUnderstood.push(text);
  }
  return { columns, notes, notUnderstood };
}

/** The column of the table that holds such a value: by its key, for what is paid for by its kind, else by its name. */
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

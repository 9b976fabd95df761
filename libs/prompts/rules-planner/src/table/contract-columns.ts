import { attributeNamed } from '@quarry/directory';
import { foldWords } from '@quarry/vocabulary';
import {
  type ContractColumn,
  type ContractTable,
  type Entity,
  type IntentColumn,
  type IntentCriterion,
  type PlanColumn,
  ENTITY_NOUNS,
} from '@quarry/plan';
import { contractColumn, spokenKey } from '@quarry/plan-compiler';
import { listOf } from '../language/phrase-list.js';
import { contractCriteria } from '../criteria.js';
import { ownColumnFor, type OwnColumn } from './own-columns.js';
import { tableCriterion } from './table-criterion.js';
import type { TableColumn } from './table-schema.js';

/** Columns of an output contract that a table fills, and the criteria for its rows. */
interface ContractIntent {
  readonly columns: readonly IntentColumn[];
  readonly criteria: readonly IntentCriterion[];
  readonly notes: readonly string[];
}

interface Own {
  /** Columns as the table declares them, and as prompts name them; parallel lists. */
  readonly declared: readonly OwnColumn[];
  readonly spoken: readonly TableColumn[];
}

/** Keys for the name of a row, which tables and contracts use interchangeably. */
const NAMES = ['name', 'full_name', 'company_name'];
/** Nouns for rows that stand for their name: "Firm", "Account". */
const NOUNS = new Set(ENTITY_NOUNS.flatMap(([, nouns]) => listOf(nouns)));

/** Maps an output contract to the columns of a table. */
export async function contractIntent(
  { columns: wanted }: ContractTable,
  own: Own,
  entity: Entity,
  referenceYear: number,
): Promise<ContractIntent> {
  const notes: string[] = [];
  const columns = wanted.flatMap((column): IntentColumn[] => {
    const known = ownColumn(column, contractColumn(column, entity), own);
    if (!known) return [];
    const source = { from: 'table', column: known.key } as const;
    return [{ source, key: column.key, required: column.required, fragments: [], from: 'output' }];
  });
  const criteria = await contractCriteria(wanted, (criterion) => {
    const read = tableCriterion(criterion, own.spoken, referenceYear);
    notes.push(...(read?.notes ?? []));
    return read?.conditions ?? null;
  });
  return { columns, criteria, notes };
}

/** Finds the column by its key or name in the table, by a short form of its name, then by the common attribute. */
function ownColumn({ key, name }: ContractColumn, general: PlanColumn, own: Own): OwnColumn | undefined {
  const labels = [key, ...(name === null ? [] : [name])].map(wordsOf);
  const named = (text: string): OwnColumn | undefined =>
    own.declared.find((one) => [one.key, one.name].some((known) => wordsOf(known) === text)) ??
    own.declared[own.spoken.findIndex(({ phrases }) => phrases.some((words) => words.join(' ') === text))];
  const alike = (text: string): OwnColumn | undefined => {
    const meant = attributeOf(text);
    return own.declared.find(({ key: ownKey, name: ownName }) =>
      isSameAttribute(meant, attributeOf(wordsOf(ownName || ownKey))),
    );
  };
  const paid = general.source.from === 'service' ? ownColumnFor(general, own.declared, true) : undefined;
  return [...labels.map(named), ...labels.map(alike), paid].find((column) => column !== undefined);
}

function attributeOf(text: string): string | undefined {
  const found = attributeNamed(text) ?? attributeNamed(text.replace(/^company /, ''));
  return found?.key ?? (NOUNS.has(text) ? 'name' : undefined);
}

function isSameAttribute(a: string | undefined, b: string | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a === b || (NAMES.includes(a) && NAMES.includes(b));
}

function wordsOf(text: string): string {
  return foldWords(spokenKey(text)).join(' ');
}

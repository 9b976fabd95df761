import { foldWords } from '@quarry/directory';
import type { ContractColumn, ContractTable } from '../columns/output-contract.js';
import {
  contractColumn,
  contractCriteria,
  spokenKey,
  type ContractCriteria,
} from '../columns/contract-columns.js';
import { ENTITY_NOUNS } from '../language/entity-nouns.catalogue.js';
import { listOf } from '../language/phrase-list.js';
import { attributeNamed } from '../language/recognisers/column.recogniser.js';
import type { Entity, PlanColumn } from '../run-plan.js';
import { ownColumnFor, type OwnColumn } from './own-columns.js';
import { tableCriterion } from './table-criterion.js';
import type { TableColumn } from './table-schema.js';

/** Columns that an output contract wants of a table, what rows are judged by, and what nothing can fill or check. */
interface ContractPlan extends ContractCriteria {
  readonly columns: readonly PlanColumn[];
  readonly notes: readonly string[];
}

interface Own {
  /** As the table declares them, and as prompts speak of them; parallel. */
  readonly declared: readonly OwnColumn[];
  readonly spoken: readonly TableColumn[];
}

/** Names of a row itself, which tables and contracts use for one another. */
const NAMES = ['name', 'full_name', 'company_name'];
/** "Firm", "Account": a noun for rows stands for their name. */
const NOUNS = new Set(ENTITY_NOUNS.flatMap(([, nouns]) => listOf(nouns)));

/** Fits an output contract to the columns of a table; what the table has not is paid for or judged, else named. */
export function contractPlan(
  { columns: wanted }: ContractTable,
  own: Own,
  entity: Entity,
  referenceYear: number,
): ContractPlan {
  const columns = wanted.map((column) => planColumn(column, own, entity));
  const notes: string[] = [];
  const judged = contractCriteria(columns, (criterion) => {
    const read = tableCriterion(criterion, own.spoken, referenceYear);
    notes.push(...(read?.notes ?? []));
    return read?.predicate ?? null;
  });
  return { columns, notes, ...judged };
}

function planColumn(column: ContractColumn, own: Own, entity: Entity): PlanColumn {
  const general = contractColumn(column, entity);
  const known = ownColumn(column, general, own);
  if (known)
    return {
      ...general,
      name: column.name ?? (known.name || known.key),
      kind: column.kind ?? known.kind,
      source: { from: 'table', column_key: known.key },
    };
  // The directory is not asked about the rows of a table.
  if (general.source.from !== 'directory') return general;
  const isJudged = 'criterion' in column.qualification;
  return {
    ...general,
    name: column.name ?? column.key,
    source: { from: isJudged ? 'criterion' : 'nothing' },
  };
}

/** By its key or name as the table has it, by what the table calls it for short, then by what both stand for. */
function ownColumn({ key, name }: ContractColumn, general: PlanColumn, own: Own): OwnColumn | undefined {
  const said = [key, ...(name === null ? [] : [name])].map(wordsOf);
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
  return firstOf(said, named) ?? firstOf(said, alike) ?? paid;
}

function firstOf<T>(texts: readonly string[], find: (text: string) => T | undefined): T | undefined {
  for (const text of texts) {
    const found = find(text);
    if (found) return found;
  }
  return undefined;
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

import type { IntentColumnSource, PlanIntent, TableProfile, PlanColumn } from '@quarry/plan';
import { answerField, findService } from '@quarry/service-catalog';
import { usualInputs } from '../services/usual-inputs.js';
import { keyOfSource, resolveAttribute } from './directory-columns.js';

export type ServiceSource = Extract<IntentColumnSource, { from: 'service' }>;

/** A column of an intent that a service fills, under the key that it has in the plan. */
export interface ServiceColumn extends Pick<PlanColumn, 'key' | 'name' | 'kind'> {
  /** Its place among the columns of the intent. */
  readonly index: number;
  readonly source: ServiceSource;
  /** True where the intent names its key. */
  readonly isNamed: boolean;
}

/**
 * @returns the columns of an intent that services fill. One without a key of its own has that of what it holds, with a number
 *   where another column has it; one that asks for the same as another is left out
 */
export function serviceColumns({ columns, entity }: PlanIntent): ServiceColumn[] {
  const taken = new Set(columns.flatMap(({ key }) => key ?? []));
  const seenCalls = new Set<string>();
  return columns.flatMap(({ source, key }, index) => {
    if (source.from !== 'service') return [];
    const same = JSON.stringify(source);
    if (key === undefined && seenCalls.has(same)) return [];
    if (key === undefined) seenCalls.add(same);
    const usual = keyOfSource(source);
    const own = key ?? freeKey(usual, taken);
    taken.add(own);
    const attribute = resolveAttribute(usual, entity);
    const service = findService(source.service)!;
    return {
      index,
      key: own,
      name: key ? titleOfKey(key) : attribute && own === usual ? attribute.name : titleOfKey(own),
      kind: attribute?.kind ?? answerField(service, source.field ?? service.cellField)?.kind ?? 'text',
      source,
      isNamed: key !== undefined,
    };
  });
}

/**
 * Gives the columns that services fill the inputs that their services usually have, where the intent names none. Services that
 * look people up take what is known of the row.
 */
export function withInputs(
  columns: readonly PlanColumn[],
  { entity }: PlanIntent,
  table: TableProfile | null,
): PlanColumn[] {
  return columns.map((column) => {
    const { key, source } = column;
    if (source.from !== 'service' || source.inputs || looksUpPeople(source.service)) return column;
    const inputs = usualInputs(findService(source.service)!, { key, entity, table }, columns);
    return { ...column, source: { ...source, inputs } };
  });
}

/** @returns whether a service without inputs takes whatever is known of the person of a row */
export function looksUpPeople(service: string): boolean {
  return service === 'getEmail' || service === 'getPhoneNumber';
}

function freeKey(usual: string, taken: ReadonlySet<string>): string {
  let key = usual;
  for (let n = 2; taken.has(key); n += 1) key = `${usual}_${n}`;
  return key;
}

/** "verify_email_status" is shown as "Verify email status". */
function titleOfKey(key: string): string {
  const words = key.replaceAll('_', ' ').trim();
  return words.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

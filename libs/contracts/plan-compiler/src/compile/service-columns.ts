import type { IntentColumnSource, PlanIntent, TableProfile, PlanColumn } from '@quarry/plan';
import { answerField, findService } from '@quarry/service-catalog';
import { usualInputs } from '../services/usual-inputs.js';
import { keyOfSource, resolveAttribute } from './directory-columns.js';

export type ServiceSource = Extract<IntentColumnSource, { from: 'service' }>;

/** Service column of an intent, with its key in the plan. */
export interface ServiceColumn extends Pick<PlanColumn, 'key' | 'name' | 'kind'> {
  /** Index among the columns of the intent. */
  readonly index: number;
  readonly source: ServiceSource;
  /** True when the intent specifies its key. */
  readonly isNamed: boolean;
}

/**
 * @returns the service columns of an intent. One without a key gets the default key of its content, with a number if
 *   another column has it; duplicates are omitted
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
 * Adds the default inputs to service columns for which the intent specifies none. Services that look up people use the
 * known data of the row.
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

/** @returns whether a service without inputs uses all known data of the person in a row */
export function looksUpPeople(service: string): boolean {
  return service === 'getEmail' || service === 'getPhoneNumber';
}

function freeKey(usual: string, taken: ReadonlySet<string>): string {
  let key = usual;
  for (let n = 2; taken.has(key); n += 1) key = `${usual}_${n}`;
  return key;
}

/** Converts "verify_email_status" to "Verify email status". */
function titleOfKey(key: string): string {
  const words = key.replaceAll('_', ' ').trim();
  return words.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

import { isUsableKey } from '@quarry/dto';
import type { TableProfile, Entity, PlanColumn, ServiceInput, PlanIntent } from '@quarry/plan';
import { answerField, fieldFault, findService, inputFields, type AnyService } from '@quarry/service-catalog';
import { resolveAttribute } from '../compile/directory-columns.js';
import { planColumns } from '../compile/plan-columns.js';
import { looksUpPeople, serviceColumns, type ServiceSource } from '../compile/service-columns.js';
import { CircleOfColumnsError, serviceCalls } from '../services/service-calls.js';
import { keysRead } from '../services/service-inputs.js';
import { usualInputs } from '../services/usual-inputs.js';
import type { IntentContext } from './intent-faults.js';

/** Maximum length of a column's key. Source: docs/contract.md#4-tables. */
const KEY_CHARACTERS_MAX = 64;

/**
 * Validates service columns: inputs and output of each service, the sources of its inputs, and that no two columns depend
 * on each other.
 * @returns one sentence for each fault, each starting with its position
 */
export function serviceColumnFaults(intent: PlanIntent, beside: IntentContext): string[] {
  const named = intent.columns.flatMap(({ source }, i) =>
    source.from === 'service' ? sourceFaults(`columns.${i}.source`, source) : [],
  );
  const keyed = keyFaults(intent);
  // Inputs that refer to other columns are only checked when every service and key is valid by itself.
  return named.length + keyed.length > 0 ? [...named, ...keyed] : inputFaults(intent, beside);
}

/** Returns faults for inputs and a field that the service does not have. */
function sourceFaults(at: string, { service: name, field, inputs = {} }: ServiceSource): string[] {
  const service = findService(name)!;
  const fields = new Map(inputFields(service).map((each) => [each.name, each]));
  const faults = Object.entries(inputs).flatMap(([input, given]) => {
    if (fields.has(input)) return constantFaults(`${at}.inputs.${input}`, service, input, given);
    return [`${at}.inputs.${input}: ${name} takes ${[...fields.keys()].join(', ')}, not ${input}`];
  });
  if (field !== undefined && !answerField(service, field))
    faults.push(`${at}.field: the answer of ${name} has no ${JSON.stringify(field)}`);
  return faults;
}

/** Validates a constant; one that contains keys of the row is validated when its value is known. */
function constantFaults(at: string, service: AnyService, input: string, given: ServiceInput): string[] {
  if (typeof given === 'string' || keysRead(given).length > 0) return [];
  const fault = fieldFault(service, input, given.value);
  return fault === null ? [] : [`${at}.value: ${fault}`];
}

function keyFaults({ columns }: PlanIntent): string[] {
  const seen = new Set<string>();
  return columns.flatMap(({ key, source }, i) => {
    if (key === undefined || source.from !== 'service') return [];
    const faults = seen.has(key)
      ? [`columns.${i}.key: another column has the key ${JSON.stringify(key)}`]
      : [];
    if (key === '' || key.length > KEY_CHARACTERS_MAX || !isUsableKey(key))
      faults.push(
        `columns.${i}.key: must be a key of 1 to ${KEY_CHARACTERS_MAX} characters, and not . or ..`,
      );
    seen.add(key);
    return faults;
  });
}

function inputFaults(intent: PlanIntent, { output, earlier = null, table }: IntentContext): string[] {
  const contract = (output ?? earlier)?.columns ?? [];
  const isCarried = output === null && earlier !== null;
  const { columns } = planColumns({ intent, contract, isCarried, table, predicates: [] });
  const byKey = new Map(columns.map((column) => [column.key, column]));
  const faults = serviceColumns(intent).flatMap(({ index, key, source }) => {
    const planned = byKey.get(key)?.source;
    const inputs = planned?.from === 'service' ? planned.inputs : source.inputs;
    const at = `columns.${index}.source`;
    const service = findService(source.service)!;
    if (inputs === undefined) return missingPerson(at, service, intent, table);
    const unknown = Object.entries(inputs).flatMap(([input, given]) =>
      keysRead(given)
        .filter((from) => !isGiven(from, key, { columns, intent, table }))
        .map((from) => `${at}.inputs.${input}: rows have no ${JSON.stringify(from)}`),
    );
    return unknown.length > 0 ? unknown : missingInputs(at, service, Object.keys(inputs));
  });
  return faults.length > 0 ? faults : circleFaults(intent, columns);
}

function missingPerson(
  at: string,
  { name }: AnyService,
  { entity }: PlanIntent,
  table: TableProfile | null,
): string[] {
  if (entity === 'person' || !looksUpPeople(name)) return [];
  const what = name === 'getEmail' ? 'email' : 'phone';
  return [`${at}: rows of a company have no ${what}${table ? '; say what provides its inputs' : ''}`];
}

/** Returns whether the columns of a table, by their names, provide the inputs that a service needs. */
export function hasUsualInputs(service: string, entity: Entity, table: TableProfile): boolean {
  const known = findService(service);
  if (!known) return false;
  const given = usualInputs(known, { key: '', entity, table }, []);
  return missingInputs('', known, Object.keys(given)).length === 0;
}

function missingInputs(at: string, service: AnyService, given: readonly string[]): string[] {
  const fields = inputFields(service);
  const required = fields.filter(({ isRequired, name }) => isRequired && !given.includes(name));
  if (required.length > 0)
    return required.map(
      ({ name }) => `${at}.inputs.${name}: ${service.name} needs it, and no column provides it`,
    );
  const names = fields.map(({ name }) => name);
  return given.length > 0 ? [] : [`${at}.inputs: must name one or more of ${names.join(', ')}`];
}

function isGiven(
  from: string,
  own: string,
  {
    columns,
    intent,
    table,
  }: { columns: readonly PlanColumn[]; intent: PlanIntent; table: TableProfile | null },
): boolean {
  if (columns.some(({ key, source }) => key === from && key !== own && source.from !== 'nothing'))
    return true;
  if (table) return table.columns.some(({ key }) => key === from);
  return resolveAttribute(from, intent.entity)?.source.from === 'directory';
}

function circleFaults(intent: PlanIntent, columns: readonly PlanColumn[]): string[] {
  try {
    serviceCalls(columns);
    return [];
  } catch (error) {
    if (!(error instanceof CircleOfColumnsError)) throw error;
    const circle = [...error.keys, error.keys[0]!].join(' → ');
    const first = serviceColumns(intent).find(({ key }) => error.keys.includes(key));
    return [`columns.${first?.index ?? 0}.source.inputs: columns read each other in a circle: ${circle}`];
  }
}

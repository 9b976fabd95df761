import type { PlanColumn, ServiceInput, ServiceInputs } from '@quarry/plan';
import { formatCount, findService, type AnyService } from '@quarry/service-catalog';
import { keysOfInputs, keysRead } from './service-inputs.js';

/** Column that a call fills. */
export interface FilledColumn {
  readonly key: string;
  readonly name: string;
  /** Path of the value in the output. */
  readonly field: string;
}

/** One call per row, with all columns that its output fills: columns with equal inputs are paid once. */
export interface ServiceCall {
  /** Key of its first column; unique in its plan. */
  readonly key: string;
  readonly service: AnyService;
  /** Undefined for the known data of the person. */
  readonly inputs: ServiceInputs | undefined;
  readonly columns: readonly FilledColumn[];
  /** Columns of other calls that its inputs read. */
  readonly needs: readonly string[];
}

/** Error for columns that depend on each other. */
export class CircleOfColumnsError extends Error {
  override readonly name = 'CircleOfColumnsError';

  /** @param keys each column reads the next one, and the last one the first */
  constructor(readonly keys: readonly string[]) {
    super(`The columns ${keys.join(', ')} wait for each other.`);
  }
}

/**
 * Sorts the service columns of a plan by their dependencies.
 * @returns levels: a call reads only columns of previous levels; calls of one level are independent
 * @throws CircleOfColumnsError
 */
export function serviceCalls(columns: readonly PlanColumn[]): ServiceCall[][] {
  const calls = callsOf(columns);
  const fills = new Map(calls.flatMap((call) => call.columns.map(({ key }) => [key, call] as const)));
  const levels = new Map<ServiceCall, number>();
  const levelOf = (call: ServiceCall, path: readonly ServiceCall[]): number => {
    const known = levels.get(call);
    if (known !== undefined) return known;
    if (path.includes(call))
      throw new CircleOfColumnsError(path.slice(path.indexOf(call)).map(({ key }) => key));
    const before = call.needs.map((key) => levelOf(fills.get(key)!, [...path, call]));
    const level = Math.max(-1, ...before) + 1;
    levels.set(call, level);
    return level;
  };
  const ordered: ServiceCall[][] = [];
  for (const call of calls) (ordered[levelOf(call, [])] ??= []).push(call);
  return Array.from(ordered, (level) => level ?? []);
}

function callsOf(columns: readonly PlanColumn[]): ServiceCall[] {
  const paid = columns.flatMap(({ key, name, source }) =>
    source.from === 'service' ? [{ key, name, source }] : [],
  );
  const byService = new Set(paid.map(({ key }) => key));
  const calls = new Map<string, ServiceCall & { columns: FilledColumn[] }>();
  for (const { key, name, source } of paid) {
    const service = findService(source.service);
    if (!service) throw new Error(`The catalogue has no service ${source.service}.`);
    // A column that reads its own key reads the value that the row has before it is filled.
    const needs = keysOfInputs(source.inputs).filter((each) => each !== key && byService.has(each));
    const column = { key, name, field: source.field ?? service.cellField };
    const same = JSON.stringify([service.name, source.inputs ?? null, needs]);
    const call = calls.get(same);
    if (call) call.columns.push(column);
    else calls.set(same, { key, service, inputs: source.inputs, columns: [column], needs });
  }
  return [...calls.values()];
}

/** @returns the source of each paid column and its maximum cost per row, one phrase per call */
export function paidTexts(columns: readonly PlanColumn[]): string[] {
  return serviceCalls(columns)
    .flat()
    .map((call) => {
      const names = call.columns.map(({ name }) => name).join(', ');
      return `${names} by ${call.service.name}, at most ${formatCount(priceOf(call) / 1000, 'credit')} a row`;
    });
}

/**
 * @returns the maximum cost of a call for one row, in thousandths of a credit. Constant inputs are considered, such as the
 *   effort of research. If an input that changes the price is read from the row, it is the service's highest price
 */
export function priceOf({ service, inputs = {} }: Pick<ServiceCall, 'service' | 'inputs'>): number {
  const isOfRow = ([name, input]: [string, ServiceInput]): boolean =>
    (service.pricedBy ?? []).includes(name) && keysRead(input).length > 0;
  if (Object.entries(inputs).some(isOfRow)) return service.price.max;
  const constants = Object.entries(inputs).flatMap(([name, input]) =>
    typeof input === 'string' ? [] : [[name, input.value] as const],
  );
  return service.worstCase(Object.fromEntries(constants));
}

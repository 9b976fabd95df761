import { isUsableKey, type ColumnJson, type CreateEnrichmentRequest } from '@quarry/dto';
import { AppError, type ErrorDetail } from '@quarry/error-codes';
import type { PlanColumn, ServiceInputs } from '@quarry/plan';
import { keysOfInputs, looksUpPeople, usualInputs } from '@quarry/plan-compiler';
import { answerField, findService, inputFields, type AnyService } from '@quarry/service-catalog';

/**
 * Converts the columns of a request to those of a plan; omitted inputs are guessed from the table.
 * @throws AppError invalid_request naming the field
 */
export function enrichmentColumns(
  { service: name, inputs: given, columns }: CreateEnrichmentRequest,
  tableId: string,
  known: readonly ColumnJson[],
): PlanColumn[] {
  const service = findService(name);
  if (!service) throw refusalOf([{ path: 'service', message: 'service is not in the catalogue' }]);
  const inputs = given === undefined ? guessedInputs(service, columns[0]!.key, tableId, known) : given;
  const details = [
    ...(inputs === undefined ? [] : inputFaults(service, inputs, columns, known)),
    ...columnFaults(service, columns),
  ];
  if (details.length > 0) throw refusalOf(details);
  return columns.map(({ key, name: title, field = usualField(service, key) }) => {
    const column = known.find((each) => each.key === key);
    return {
      key,
      name: column?.name ?? title ?? key,
      kind: column?.kind ?? answerField(service, field)?.kind ?? 'text',
      required: false,
      qualification: {},
      source: {
        from: 'service',
        service: service.name,
        field,
        ...(inputs === undefined ? {} : { inputs: inputs as ServiceInputs }),
      },
    };
  });
}

/** @returns undefined for a service that uses everything known about the person in a row */
function guessedInputs(
  service: AnyService,
  key: string,
  tableId: string,
  columns: readonly ColumnJson[],
): ServiceInputs | undefined {
  if (looksUpPeople(service.name)) return undefined;
  const table = { id: tableId, workspaceId: '', name: '', columns: [...columns], rowCount: 0, values: {} };
  return usualInputs(service, { key, entity: 'company', table }, []);
}

function inputFaults(
  service: AnyService,
  inputs: Readonly<Record<string, unknown>>,
  columns: CreateEnrichmentRequest['columns'],
  known: readonly ColumnJson[],
): ErrorDetail[] {
  const fields = inputFields(service);
  const unknown = Object.entries(inputs).flatMap(([name, input]) => {
    const path = `inputs.${name}`;
    if (!fields.some((field) => field.name === name))
      return { path, message: `${path} is not an input of the service` };
    return isInput(input) ? [] : { path, message: `${path} must be the key of a column, or {"value"}` };
  });
  if (unknown.length > 0) return unknown;
  const missing = fields.find(({ name, isRequired }) => isRequired && !(name in inputs));
  if (missing)
    return [
      {
        path: `inputs.${missing.name}`,
        message: `inputs.${missing.name} is missing: no column of the table provides it`,
      },
    ];
  return Object.entries(inputs as ServiceInputs).flatMap(([name, input]) =>
    keysOfInputs({ [name]: input }).flatMap((key) => {
      const path = `inputs.${name}`;
      if (columns.some((column) => column.key === key))
        return { path, message: `${path} must not read a column that the enrichment fills` };
      return known.some((column) => column.key === key)
        ? []
        : { path, message: `${path} reads a column that the table does not have` };
    }),
  );
}

/** Returns the result field that fills a column: the one with its name, or the service's default. */
function usualField(service: AnyService, key: string): string {
  return answerField(service, key) ? key : service.cellField;
}

function isInput(input: unknown): boolean {
  if (typeof input === 'string') return true;
  return typeof input === 'object' && input !== null && Object.keys(input).join() === 'value';
}

function columnFaults(service: AnyService, columns: CreateEnrichmentRequest['columns']): ErrorDetail[] {
  return columns.flatMap(({ key, field = usualField(service, key) }, i) => {
    if (columns.findIndex((each) => each.key === key) !== i)
      return { path: `columns[${i}].key`, message: `columns[${i}].key is used twice` };
    if (!isUsableKey(key))
      return { path: `columns[${i}].key`, message: `columns[${i}].key must not be "${key}"` };
    return answerField(service, field)
      ? []
      : { path: `columns[${i}].field`, message: `columns[${i}].field is not a field of the answer` };
  });
}

function refusalOf(details: ErrorDetail[]): AppError {
  const named = details.map(({ message }) => message).join('; ');
  return new AppError('invalid_request', `${named}.`, { details });
}

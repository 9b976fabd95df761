/** A row on its way to a destination. */
export interface OutgoingRow {
  rowId: string;
  /** Key of the row there: an e-mail address, a domain, or its own id. */
  key: string;
  /** Its identifier there, where one is known. */
  vendorId: string | null;
  /** Values to send, by the names of the fields there. */
  fields: Readonly<Record<string, unknown>>;
}

/** A request without what proves who sends it. */
export interface TemplateRequest {
  method: 'GET' | 'PATCH' | 'POST';
  /** Below the address of the vendor, or the whole address of a webhook. */
  path: string;
  body?: unknown;
}

/** Settings of a destination beside its secret. */
export interface DestinationSettings {
  url?: string;
  rows_per_request?: number;
  campaign_id?: string;
  /** Replaces values that are there already; only empty fields are filled without it. */
  overwrite?: boolean;
}

/** Reads the values that a destination has of rows. */
export interface ExistingValues {
  /** Asks for all rows, or where there is a `find`, for those that it has found. */
  read: (rows: readonly OutgoingRow[]) => TemplateRequest;
  /** @returns values by the names that a mapping gives fields, by key of the row; null for an answer that cannot be read */
  valuesIn: (
    answer: unknown,
    rows: readonly OutgoingRow[],
  ) => Map<string, Readonly<Record<string, unknown>>> | null;
}

/** Protocol of a kind of destination. */
export interface DestinationTemplate {
  /** Key that identifies rows there. */
  keyedBy: 'email' | 'domain' | 'row';
  /** The field that has the key; null for a webhook. */
  keyField: string | null;
  /** Address of the vendor; null for a webhook. */
  baseUrl: string | null;
  /** Settings that must be given. No other may be. */
  needs: ReadonlyArray<keyof DestinationSettings>;
  /** Rows of one request at most. */
  rowsMax: number;
  /** Fields that are filled without a mapping ← names of columns that they are guessed by. A mapping may name others. */
  fields: Readonly<Record<string, readonly string[]>>;
  /** Returns the headers or parameters that carry the secret. */
  auth: (secret: string) => { headers?: Record<string, string>; query?: Record<string, string> };
  /** Looks for rows whose identifier is not known. */
  find?: (rows: readonly OutgoingRow[], settings: DestinationSettings) => TemplateRequest;
  /** Writes rows that are new there, or that are told apart by their key. */
  create: (rows: readonly OutgoingRow[], settings: DestinationSettings) => TemplateRequest;
  /** Writes rows whose identifier is known, where that differs. */
  update?: (rows: readonly OutgoingRow[], settings: DestinationSettings) => TemplateRequest;
  /** The reading of what rows have there. Where it is left out, values there are replaced. */
  existing?: ExistingValues;
  /** @returns identifiers by key, of the rows that an answer names */
  idsIn?: (answer: unknown, rows: readonly OutgoingRow[]) => Map<string, string>;
  /** The row is refused as it is there already. */
  isThere?: (status: number, text: string) => boolean;
}

/** @returns the value at a path of an answer of whatever shape; undefined where there is none */
export function valueAt(value: unknown, ...path: Array<string | number>): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null
        ? (found as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

/** @returns whether a value of an answer has fields */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns a list of an answer; an empty one where there is none */
export function listAt(value: unknown, ...path: Array<string | number>): unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** @returns an identifier as text; null for what is none */
export function idOf(value: unknown): string | null {
  const isId =
    (typeof value === 'string' && value !== '' && value.length <= 200) || typeof value === 'number';
  return isId ? String(value) : null;
}

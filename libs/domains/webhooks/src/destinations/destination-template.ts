/** A row to be sent to a destination. */
export interface OutgoingRow {
  rowId: string;
  /** Key of the row at the destination: an email address, a domain, or its own id. */
  key: string;
  /** Its identifier at the destination, if known. */
  vendorId: string | null;
  /** Values to send, by the field names of the destination. */
  fields: Readonly<Record<string, unknown>>;
}

/** A request without credentials. */
export interface TemplateRequest {
  method: 'GET' | 'PATCH' | 'POST';
  /** Path below the vendor's address, or the complete URL of a webhook. */
  path: string;
  body?: unknown;
}

/** Settings of a destination except its secret. */
export interface DestinationSettings {
  url?: string;
  rows_per_request?: number;
  campaign_id?: string;
  /** Overwrites existing values; without it only empty fields are filled. */
  overwrite?: boolean;
}

/** Requests that read the existing values of rows at a destination. */
export interface ExistingValues {
  /** Reads all rows or, if there is a `find`, those that it has found. */
  read: (rows: readonly OutgoingRow[]) => TemplateRequest;
  /** @returns values by mapped field names, by key of the row; null for an unreadable response */
  valuesIn: (
    answer: unknown,
    rows: readonly OutgoingRow[],
  ) => Map<string, Readonly<Record<string, unknown>>> | null;
}

/** Protocol of a kind of destination. */
export interface DestinationTemplate {
  /** Key that identifies rows at the destination. */
  keyedBy: 'email' | 'domain' | 'row';
  /** Field of the key; null for a webhook. */
  keyField: string | null;
  /** Address of the vendor; null for a webhook. */
  baseUrl: string | null;
  /** Required settings. No others are allowed. */
  needs: ReadonlyArray<keyof DestinationSettings>;
  /** Maximum number of rows per request. */
  rowsMax: number;
  /** Fields that are mapped by default ← column names by which they are guessed. A mapping may use others. */
  fields: Readonly<Record<string, readonly string[]>>;
  /** Returns the headers or parameters that carry the secret. */
  auth: (secret: string) => { headers?: Record<string, string>; query?: Record<string, string> };
  /** Searches rows whose identifier is unknown. */
  find?: (rows: readonly OutgoingRow[], settings: DestinationSettings) => TemplateRequest;
  /** Writes new rows, or rows that are identified by their key. */
  create: (rows: readonly OutgoingRow[], settings: DestinationSettings) => TemplateRequest;
  /** Writes rows with a known identifier, if that needs a different request. */
  update?: (rows: readonly OutgoingRow[], settings: DestinationSettings) => TemplateRequest;
  /** Reading of existing values. Without it, existing values are overwritten. */
  existing?: ExistingValues;
  /** @returns identifiers by key, of the rows in a response */
  idsIn?: (answer: unknown, rows: readonly OutgoingRow[]) => Map<string, string>;
  /** Returns true if the row was refused because it already exists. */
  isThere?: (status: number, text: string) => boolean;
}

/** @returns the value at a path of an arbitrary response; undefined if there is none */
export function valueAt(value: unknown, ...path: Array<string | number>): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      typeof found === 'object' && found !== null
        ? (found as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

/** @returns whether a value of a response is an object */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns a list in a response; an empty one if there is none */
export function listAt(value: unknown, ...path: Array<string | number>): unknown[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** @returns an identifier as text; null if it is not one */
export function idOf(value: unknown): string | null {
  const isId =
    (typeof value === 'string' && value !== '' && value.length <= 200) || typeof value === 'number';
  return isId ? String(value) : null;
}

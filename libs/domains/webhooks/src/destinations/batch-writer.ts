import type {
  OutgoingRow,
  DestinationSettings,
  DestinationTemplate,
  TemplateRequest,
} from './destination-template.js';

/** An answer of a vendor that says something of rows: of the 200s, or of the 400s that are about them. */
export interface VendorReply {
  isOk: boolean;
  status: number;
  text: string;
  /** Undefined when it is no JSON. */
  body: unknown;
}

/** Makes a request. @throws PushInterruption for an answer that says nothing of rows, and for none */
export type Exchange = (request: TemplateRequest, rows: readonly OutgoingRow[]) => Promise<VendorReply>;

/** Why nothing more is sent now, or at all. */
export class PushInterruption extends Error {
  /** @param isFinal nothing will help until somebody changes the destination */
  constructor(
    readonly reason: string,
    readonly isFinal: boolean,
    readonly retryAfterMs?: number,
  ) {
    super(reason);
  }
}

/** Results of rows, by their keys. */
export type RowResults = Map<string, { vendorId: string | null } | { refused: string }>;

/** @returns whether a field of a vendor has no value */
function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** Writes one batch of rows to a destination, and finds out what has become of each. */
export class BatchWriter {
  readonly results: RowResults = new Map();

  constructor(
    private readonly template: DestinationTemplate,
    private readonly settings: DestinationSettings,
    private readonly exchange: Exchange,
  ) {}

  /** @throws PushInterruption; {@link results} has what was written before */
  async writeBatch(rows: readonly OutgoingRow[]): Promise<void> {
    const { find, update } = this.template;
    const found = find ? await this.findExisting(rows, find) : rows;
    const known = await this.withoutFilled(found);
    const isKnown = (row: OutgoingRow): boolean => update !== undefined && row.vendorId !== null;
    if (update) await this.sendBatch(known.filter(isKnown), update);
    await this.sendBatch(
      known.filter((row) => !isKnown(row)),
      this.template.create,
    );
  }

  /** @returns the rows with the identifiers that they have there */
  private async findExisting(
    rows: readonly OutgoingRow[],
    find: NonNullable<DestinationTemplate['find']>,
  ): Promise<readonly OutgoingRow[]> {
    const unknown = rows.filter(({ vendorId }) => vendorId === null);
    if (unknown.length === 0) return rows;
    const { isOk, status, body } = await this.exchange(find(unknown, this.settings), unknown);
    // Without an answer there would be two of each.
    if (!isOk)
      throw new PushInterruption(`The destination does not let rows be looked up (${status}).`, true);
    const ids = this.template.idsIn?.(body, unknown) ?? new Map<string, string>();
    return rows.map((row) => ({ ...row, vendorId: row.vendorId ?? ids.get(row.key) ?? null }));
  }

  /**
   * Unless values there are replaced, leaves out the fields that have one there. A row of which nothing else is left
   * counts as written; one that was found and could not be read is refused, as writing it might replace values.
   * @returns the rows that are left, with the fields that are left
   * @throws PushInterruption where the values cannot be read
   */
  private async withoutFilled(rows: readonly OutgoingRow[]): Promise<readonly OutgoingRow[]> {
    const { find, existing, keyField } = this.template;
    if (!existing || this.settings.overwrite) return rows;
    const there = find ? rows.filter(({ vendorId }) => vendorId !== null) : rows;
    if (there.length === 0) return rows;
    const { isOk, status, body } = await this.exchange(existing.read(there), there);
    if (status === 404 && there.length === 1)
      // It was removed there.
      return rows.map((row) => (row === there[0] ? { ...row, vendorId: null } : row));
    if (!isOk)
      throw new PushInterruption(`The destination does not let rows be looked up (${status}).`, true);
    const values = existing.valuesIn(body, there);
    if (!values) throw new PushInterruption('What the destination has of the rows cannot be read.', true);
    return rows.flatMap((row) => {
      const known = values.get(row.key);
      if (!known) {
        if (!find || row.vendorId === null) return row;
        this.results.set(row.key, { refused: 'The destination does not say what it has of the row.' });
        return [];
      }
      const left = Object.entries(row.fields).filter(([name]) => name === keyField || isEmpty(known[name]));
      if (left.some(([name]) => name !== keyField)) return { ...row, fields: Object.fromEntries(left) };
      this.results.set(row.key, { vendorId: row.vendorId });
      return [];
    });
  }

  private async sendBatch(rows: readonly OutgoingRow[], make: DestinationTemplate['create']): Promise<void> {
    if (rows.length === 0) return;
    const reply = await this.exchange(make(rows, this.settings), rows);
    if (reply.isOk) return this.takeReply(rows, reply);
    const { status, text } = reply;
    const isCreated = make === this.template.create;
    if (status === 404 && isCreated)
      throw new PushInterruption('The address, the list or the campaign is not there (404).', true);
    if (rows.length > 1) {
      // One of them is at fault: it is found by halves.
      const half = Math.ceil(rows.length / 2);
      await this.sendBatch(rows.slice(0, half), make);
      await this.sendBatch(rows.slice(half), make);
    } else if (status === 404) {
      // It was removed there.
      await this.sendBatch(
        rows.map((row) => ({ ...row, vendorId: null })),
        this.template.create,
      );
    } else if (this.template.isThere?.(status, text)) this.results.set(rows[0]!.key, { vendorId: null });
    else this.results.set(rows[0]!.key, { refused: `The destination has refused the row (${status}).` });
  }

  /** Of a batch that was taken in part (207) those rows were that the answer names. */
  private takeReply(rows: readonly OutgoingRow[], { status, body }: VendorReply): void {
    const ids = this.template.idsIn?.(body, rows);
    for (const { key, vendorId } of rows)
      this.results.set(
        key,
        status === 207 && !ids?.has(key)
          ? { refused: 'The destination has refused the row, and taken others (207).' }
          : { vendorId: ids?.get(key) ?? vendorId },
      );
  }
}

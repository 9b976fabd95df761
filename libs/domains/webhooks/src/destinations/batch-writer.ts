import type {
  OutgoingRow,
  DestinationSettings,
  DestinationTemplate,
  TemplateRequest,
} from './destination-template.js';

/** A vendor's response about rows: a 2xx, or a 4xx that concerns them. */
export interface VendorReply {
  isOk: boolean;
  status: number;
  text: string;
  /** Undefined when it is not JSON. */
  body: unknown;
}

/** Sends a request. @throws PushInterruption if there is no response, or one that does not concern rows */
export type Exchange = (request: TemplateRequest, rows: readonly OutgoingRow[]) => Promise<VendorReply>;

/** Reason why nothing more is sent for now, or at all. */
export class PushInterruption extends Error {
  /** @param isFinal true if only a change of the destination helps */
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

/** Writes one batch of rows to a destination, and determines the result of each. */
export class BatchWriter {
  readonly results: RowResults = new Map();

  constructor(
    private readonly template: DestinationTemplate,
    private readonly settings: DestinationSettings,
    private readonly exchange: Exchange,
  ) {}

  /** @throws PushInterruption; {@link results} contains what was written before */
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

  /** @returns the rows with their identifiers at the destination */
  private async findExisting(
    rows: readonly OutgoingRow[],
    find: NonNullable<DestinationTemplate['find']>,
  ): Promise<readonly OutgoingRow[]> {
    const unknown = rows.filter(({ vendorId }) => vendorId === null);
    if (unknown.length === 0) return rows;
    const { isOk, status, body } = await this.exchange(find(unknown, this.settings), unknown);
    // Without an answer there would be two of each.
    if (!isOk) throw new PushInterruption(`The destination refuses to look up rows (${status}).`, true);
    const ids = this.template.idsIn?.(body, unknown) ?? new Map<string, string>();
    return rows.map((row) => ({ ...row, vendorId: row.vendorId ?? ids.get(row.key) ?? null }));
  }

  /**
   * Removes fields that already have a value at the destination, unless values are overwritten. A row without remaining
   * fields counts as written. A row that exists but cannot be read is refused, because writing might overwrite values.
   * @returns the remaining rows with their remaining fields
   * @throws PushInterruption if the values cannot be read
   */
  private async withoutFilled(rows: readonly OutgoingRow[]): Promise<readonly OutgoingRow[]> {
    const { find, existing, keyField } = this.template;
    if (!existing || this.settings.overwrite) return rows;
    const there = find ? rows.filter(({ vendorId }) => vendorId !== null) : rows;
    if (there.length === 0) return rows;
    const { isOk, status, body } = await this.exchange(existing.read(there), there);
    if (status === 404 && there.length === 1)
      // The row was deleted at the destination.
      return rows.map((row) => (row === there[0] ? { ...row, vendorId: null } : row));
    if (!isOk) throw new PushInterruption(`The destination refuses to look up rows (${status}).`, true);
    const values = existing.valuesIn(body, there);
    if (!values)
      throw new PushInterruption('The answer of the destination about its rows cannot be read.', true);
    return rows.flatMap((row) => {
      const known = values.get(row.key);
      if (!known) {
        if (!find || row.vendorId === null) return row;
        this.results.set(row.key, { refused: 'The destination returned nothing about the row.' });
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
      throw new PushInterruption('The address, the list or the campaign does not exist (404).', true);
    if (rows.length > 1) {
      // One of the rows is at fault: bisect the batch.
      const half = Math.ceil(rows.length / 2);
      await this.sendBatch(rows.slice(0, half), make);
      await this.sendBatch(rows.slice(half), make);
    } else if (status === 404) {
      // The row was deleted at the destination.
      await this.sendBatch(
        rows.map((row) => ({ ...row, vendorId: null })),
        this.template.create,
      );
    } else if (this.template.isThere?.(status, text)) this.results.set(rows[0]!.key, { vendorId: null });
    else this.results.set(rows[0]!.key, { refused: `The destination rejected the row (${status}).` });
  }

  /** Records the results of a batch. In a partial success (207) only the rows in the response were written. */
  private takeReply(rows: readonly OutgoingRow[], { status, body }: VendorReply): void {
    const ids = this.template.idsIn?.(body, rows);
    for (const { key, vendorId } of rows)
      this.results.set(
        key,
        status === 207 && !ids?.has(key)
          ? { refused: 'The destination rejected the row, and accepted others (207).' }
          : { vendorId: ids?.get(key) ?? vendorId },
      );
  }
}

import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { faultsError, type ColumnJson } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Database, ofTenant, tenantOf } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import type { OutgoingRow } from './destination-template.js';
import { TEMPLATES } from './destination-templates.js';
import type { KnownDestination } from './destination.store.js';
import { PushRowsPort, type PushRow, type PushSource } from './push-rows.port.js';
import { addressesOf, cluesOf, guessMapping, mapRow, type MappedRow, type Mapping } from './row-mapping.js';

/** Characters that are mapped before other work gets its turn: a mapping can name a long column a hundred times. */
const TURN_CHARACTERS = 1024 * 1024;

/** Decision on a row. `handled` is a row that this push processed before it was interrupted. */
export type Verdict =
  'new' | 'changed' | 'unchanged' | 'excluded' | 'without_key' | 'sandbox' | 'duplicate' | 'handled';

export interface ClassifiedRow extends MappedRow {
  verdict: Verdict;
  vendorId: string | null;
}

/** A page of a table with the decision on each row. */
export interface ClassifiedPage {
  mapping: Mapping;
  rowCount: number;
  rows: ClassifiedRow[];
}

/** @returns a classified row in the format of templates */
export function toOutgoingRow({ row, key, vendorId, fields }: ClassifiedRow): OutgoingRow {
  return { rowId: row.id, key: key!, vendorId, fields };
}

/** @returns whether a row must be sent */
export function isSendable({ verdict }: ClassifiedRow): boolean {
  return verdict === 'new' || verdict === 'changed';
}

/**
 * Decides which rows of the current table must be sent: by their key, by what was sent before, by exclusion lists and
 * suppressions.
 */
@Injectable()
export class PushClassifier {
  constructor(
    private readonly database: Database,
    private readonly tables: PushRowsPort,
  ) {}

  /**
   * @param pushId the current push; null for a preview
   * @param earlier keys of previous pages, for a caller that records nothing in between
   * @throws AppError table_not_found, not_found for a view, invalid_request for a table without what the destination needs
   */
  async classifyPage(
    ctx: Ctx,
    destination: Pick<KnownDestination, 'id' | 'kind' | 'mapping'>,
    source: PushSource,
    page: { from: number; limit: number; pushId: string | null; earlier?: Set<string> },
  ): Promise<ClassifiedPage> {
    const { columns, rowCount, rows } = await this.tables.readPage(ctx, source, page);
    const template = TEMPLATES[destination.kind];
    const mapping = destination.mapping ?? guessMapping(template, columns);
    validateMapping(columns, mapping, template.keyField);
    const mapped: MappedRow[] = [];
    let characters = 0;
    for (const row of rows) {
      mapped.push(mapRow(template, mapping, row));
      characters += mapped.at(-1)!.characters;
      if (characters < TURN_CHARACTERS) continue;
      characters = 0;
      await nextTurn();
    }
    const excluded = await this.excludedAmong(ctx, columns, mapped);
    // Suppressions concern people, so they do not apply to companies.
    const suppressed = template.keyedBy === 'domain' ? null : await this.suppressedAmong(ctx, rows);
    const keys = [...new Set(mapped.flatMap(({ key }) => key ?? []))];
    const known = new Map(
      (await this.database.query(ctx, SENT, [tenantOf(ctx), destination.id, keys])).map((sent) => [
        sent.key,
        sent,
      ]),
    );
    const seen = page.earlier ?? new Set<string>();
    const verdictOf = ({ row, key, hash }: MappedRow): Verdict => {
      if (ctx.mode === 'live' && row.isFromSandbox) return 'sandbox';
      if (excluded.has(row.id) || suppressed?.has(row.id)) return 'excluded';
      if (key === null) return 'without_key';
      const sent = known.get(key);
      if (page.pushId !== null && sent?.push_id === page.pushId)
        return sent.row_id === row.id ? 'handled' : 'duplicate';
      if (seen.has(key)) return 'duplicate';
      seen.add(key);
      if (!sent) return 'new';
      return sent.hash === hash ? 'unchanged' : 'changed';
    };
    return {
      mapping,
      rowCount,
      rows: mapped.map((each) => ({
        ...each,
        verdict: verdictOf(each),
        vendorId: (each.key !== null && known.get(each.key)?.vendor_id) || null,
      })),
    };
  }

  /** A company's exclusion also applies to its people. @returns ids of rows whose domain or profile is on a list */
  private async excludedAmong(
    ctx: Ctx,
    columns: readonly ColumnJson[],
    mapped: readonly MappedRow[],
  ): Promise<Set<string>> {
    const changedRows = mapped.flatMap(({ row, fields }) => {
      const { domains, profiles } = cluesOf(columns, row, fields);
      const of = { rowId: row.id };
      return [
        ...domains.map((domain) => ({ ...of, domain })),
        ...profiles.map((profile) => ({ ...of, linkedin_url: profile })),
      ];
    });
    if (changedRows.length === 0) return new Set();
    const [companies, people] = await Promise.all([
      this.tables.excludedAmong(ctx, 'companies', changedRows),
      this.tables.excludedAmong(ctx, 'people', changedRows),
    ]);
    return new Set([...companies, ...people].map((i) => changedRows[i]!.rowId));
  }

  /** @returns ids of rows with a suppressed address */
  private async suppressedAmong(ctx: Ctx, rows: readonly PushRow[]): Promise<Set<string>> {
    const addresses = new Set(rows.flatMap(addressesOf));
    if (addresses.size === 0) return new Set();
    const suppressed = await this.tables.suppressedAmong(ctx, [...addresses]);
    const isNamed = (row: PushRow): boolean => addressesOf(row).some((each) => suppressed.has(each));
    return new Set(rows.flatMap((row) => (isNamed(row) ? row.id : [])));
  }
}

function validateMapping(columns: readonly ColumnJson[], mapping: Mapping, keyField: string | null): void {
  const keys = new Set(columns.map(({ key }) => key));
  const lost = Object.values(mapping).find((column) => !keys.has(column));
  if (lost !== undefined)
    throw refusalOf(`table_id must be a table with the column ${lost}, which the mapping names`);
  if (keyField !== null && !(keyField in mapping))
    throw refusalOf(`table_id must be a table with a column for ${keyField}: name it in the mapping`);
}

function refusalOf(message: string): Error {
  return faultsError('resources', [{ path: ['table_id'], message }]);
}

const SENT = statement(
  'push-classifier.sent',
  `SELECT s.key, s.hash, s.vendor_id, s.row_id, s.push_id FROM destinations.sent_rows s
   WHERE ${ofTenant('s')} AND s.destination_id = $2 AND s.key = ANY ($3::text[])`,
);

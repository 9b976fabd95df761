import type { QuarryEvent } from './events.js';
import { Pages } from './pages.js';
import { pathOf, defineResource, type FollowOptions } from './resource.js';
import { RESOURCES } from './resources.gen.js';
import type { CallOptions } from './transport.js';
import type * as Api from './types.gen.js';

type QueryOf<Data extends { query?: unknown }> = NonNullable<Data['query']>;
export type EventQuery = QueryOf<Api.ListEventsData>;
export type ExclusionKind = Api.ListExclusionsData['path']['kind'];

/** Workspaces, and the tables in them. */
export class Workspaces extends defineResource(RESOURCES.workspaces) {
  /**
   * @param file CSV or XLSX, with its `type`
   * @param options `header` says whether the first row names the columns; found out where it is left out
   */
  importFile(
    id: string,
    file: Blob,
    { name, header, ...options }: CallOptions & { name?: string; header?: boolean } = {},
  ): Promise<Api.Table> {
    return this.sendFile(id, file, { name, ...headerOf(header) }, options);
  }

  /** Says what an import of a file would make; nothing is kept. */
  previewFile(
    id: string,
    file: Blob,
    { header, ...options }: CallOptions & { header?: boolean } = {},
  ): Promise<Api.FilePreview> {
    return this.sendFile(id, file, { dry_run: 'true', ...headerOf(header) }, options);
  }

  private sendFile<Answer>(
    id: string,
    body: Blob,
    query: QueryOf<Api.ImportFileData>,
    options?: CallOptions,
  ): Promise<Answer> {
    return this.calls.make(pathOf('/v1/workspaces/*/files', [id]), body, options, { query });
  }
}

function headerOf(header: boolean | undefined): { header?: 'true' | 'false' } {
  return header === undefined ? {} : { header: header ? 'true' : 'false' };
}

/** Tables that change: rows, windows, views and columns. */
export class Tables extends defineResource(RESOURCES.tables) {
  /** Says what {@link enrich} would do and cost; nothing is done. */
  estimateEnrichment(
    id: string,
    body: Api.CreateEnrichmentRequest,
    options?: CallOptions,
  ): Promise<Api.EnrichmentEstimate> {
    return this.calls.post(pathOf('/v1/tables/*/enrichments', [id]), { ...body, dry_run: true }, options);
  }
}

/** Files of tables. */
export class Exports extends defineResource(RESOURCES.exports) {
  /**
   * Downloads a file in pieces, in memory one at a time. Where the connection breaks, it goes on behind the last piece.
   * @throws ApiError
   */
  async *download(id: string, options?: CallOptions): AsyncGenerator<Uint8Array> {
    let from = 0;
    let etag: string | undefined;
    for (;;) {
      const headers = from === 0 ? {} : { range: `bytes=${from}-`, 'if-range': etag };
      const { response, pieces } = await this.calls.transport.stream(
        { path: pathOf('/v1/exports/*', [id]), headers },
        options,
      );
      // The same file always: an export does not change. Bytes before are passed over where the rest cannot be had alone.
      let isOver = response.status === 206 ? 0 : from;
      etag ??= response.headers.get('etag') ?? undefined;
      try {
        for await (const piece of pieces) {
          const fresh = piece.subarray(Math.min(isOver, piece.length));
          isOver -= piece.length - fresh.length;
          from += fresh.length;
          if (fresh.length > 0) yield fresh;
        }
        return;
      } catch (error) {
        options?.signal?.throwIfAborted();
        if (from === 0 || etag === undefined) throw error;
      }
    }
  }
}

/** Questions that are answered from the web, with quotes. */
export class Go extends defineResource(RESOURCES.go) {
  /** Asks, and waits for the answer as long as the server holds the read; it goes on after that, see {@link wait}. */
  run(body: Api.CreateGoRunRequest, options?: CallOptions): Promise<Api.GoRun> {
    return this.calls.make('/v1/go/run', body, { timeoutMs: 130_000, ...options });
  }
}

/** Events of the organisation, past and as they happen. */
export class Events extends defineResource(RESOURCES.events) {
  /** Lists events of the organisation, the oldest that is kept first. */
  list(
    { types, ...query }: EventQuery = {},
    options?: CallOptions,
  ): Pages<QuarryEvent, { items: QuarryEvent[]; next_cursor: string | null }> {
    return new Pages(({ cursor }) =>
      this.calls.query(
        '/v1/events',
        { ...query, types: types?.join(), after: cursor ?? query.after },
        options,
      ),
    );
  }

  /** Follows all that happens, from now on or behind an event, until the signal fires. */
  follow(options?: FollowOptions & Pick<EventQuery, 'types'>): AsyncGenerator<QuarryEvent> {
    return this.calls.follow('/v1/events', options, { types: options?.types?.join() });
  }
}

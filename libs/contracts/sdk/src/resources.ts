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
   * @param options `header`: whether the first row contains the column names; detected if omitted
   */
  importFile(
    id: string,
    file: Blob,
    { name, header, ...options }: CallOptions & { name?: string; header?: boolean } = {},
  ): Promise<Api.Table> {
    return this.sendFile(id, file, { name, ...headerOf(header) }, options);
  }

  /** Returns the result of importing a file, without storing anything. */
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

/** Live tables: rows, windows, views and columns. */
export class Tables extends defineResource(RESOURCES.tables) {
  /** Returns the effect and the cost of {@link enrich}, without executing it. */
  estimateEnrichment(
    id: string,
    body: Api.CreateEnrichmentRequest,
    options?: CallOptions,
  ): Promise<Api.EnrichmentEstimate> {
    return this.calls.post(pathOf('/v1/tables/*/enrichments', [id]), { ...body, dry_run: true }, options);
  }
}

/** Exported files of tables. */
export class Exports extends defineResource(RESOURCES.exports) {
  /**
   * Downloads a file in chunks, one in memory at a time. If the connection breaks, it resumes after the last chunk.
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
      // An export never changes. If the server ignores the range, the bytes that were already received are skipped.
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

/** Questions answered from the web, with quotes. */
export class Go extends defineResource(RESOURCES.go) {
  /**
   * Starts a Go run and waits for its result as long as the server holds the request; it continues after that, see {@link
   * wait}.
   */
  run(body: Api.CreateGoRunRequest, options?: CallOptions): Promise<Api.GoRun> {
    return this.calls.make('/v1/go/run', body, { timeoutMs: 130_000, ...options });
  }
}

/** Events of the organisation, past and live. */
export class Events extends defineResource(RESOURCES.events) {
  /** Lists events of the organisation, the oldest stored one first. */
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

  /** Streams all events, from now on or after a given event, until the signal fires. */
  follow(options?: FollowOptions & Pick<EventQuery, 'types'>): AsyncGenerator<QuarryEvent> {
    return this.calls.follow('/v1/events', options, { types: options?.types?.join() });
  }
}

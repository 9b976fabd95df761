import type { JsonText } from '@quarry/dto';
import { isoTime, isId, newId, type Ctx, type Database, type TxCtx } from '@quarry/platform';
import { offsetPage } from '../sql/json-text.js';
import { notFound } from '../sql/not-found.js';
import { requireStorableText } from '../sql/storable-text.js';

/** Contract resource Workspace. `$1` is the organisation everywhere; the app's address is a literal parameter. */
const workspaceItem = (appUrl: string) => `
  w.id, w.name, ${isoTime('w.created_at')} AS created_at, ${isoTime('w.updated_at')} AS updated_at,
  (SELECT links FROM (SELECT
     '/v1/workspaces/' || w.id AS self,
     '/v1/workspaces/' || w.id || '/tables' AS tables,
     '/v1/runs?workspace_id=' || w.id AS runs,
     ${appUrl}::text || '/workspaces/' || w.id AS app) AS links) AS links`;

/** Workspaces: the folders that tables and runs live in. Archiving hides one, and all in it, for good. */
export class WorkspacesStore {
  /** @param appUrl address of the web application, without a slash at its end */
  constructor(
    private readonly database: Database,
    private readonly appUrl: string,
  ) {}

  /** @returns a page of open workspaces, oldest first, so that new ones do not move the pages before them. */
  async list(ctx: Ctx, page: { limit: number; offset: number }): Promise<JsonText> {
    const row = await this.database.queryOne<{ json: string }>(
      ctx,
      `SELECT (${offsetPage({
        item: workspaceItem('$4'),
        from: 'tables.workspaces',
        alias: 'w',
        where: 'w.org_id = $1 AND w.archived_at IS NULL',
        orderBy: 'w.created_at, w.id',
        limit: '$2',
        offset: '$3',
      })}) AS json`,
      [ctx.orgId, page.limit, page.offset, this.appUrl],
    );
    return row!.json;
  }

  /** @throws AppError invalid_request when the name cannot be stored */
  async create(ctx: Ctx, name: string): Promise<JsonText> {
    requireStorableText('name', name);
    const id = newId('ws');
    await insertWorkspace(this.database, ctx, { id, name });
    return this.get(ctx, id);
  }

  /** @throws AppError workspace_not_found */
  async get(ctx: Ctx, workspaceId: string): Promise<JsonText> {
    if (!isId('ws', workspaceId)) throw notFound.workspace();
    const row = await this.database.queryOne<{ json: string }>(
      ctx,
      `SELECT row_to_json(item)::text AS json FROM (
         SELECT ${workspaceItem('$3')} FROM tables.workspaces w
         WHERE w.org_id = $1 AND w.id = $2 AND w.archived_at IS NULL
       ) AS item`,
      [ctx.orgId, workspaceId, this.appUrl],
    );
    if (!row) throw notFound.workspace();
    return row.json;
  }

  /** Hides the workspace with its tables, frozen tables and exports. @throws AppError workspace_not_found */
  async archive(ctx: Ctx, workspaceId: string): Promise<void> {
    if (!isId('ws', workspaceId)) throw notFound.workspace();
    const archived = await this.database.queryOne(
      ctx,
      `UPDATE tables.workspaces SET archived_at = clock_timestamp(), updated_at = clock_timestamp()
       WHERE org_id = $1 AND id = $2 AND archived_at IS NULL RETURNING id`,
      [ctx.orgId, workspaceId],
    );
    if (!archived) throw notFound.workspace();
  }
}

/** Writes a workspace under an id of the caller's; an id that exists already is left as it is. */
export async function insertWorkspace(
  database: Database,
  ctx: Ctx | TxCtx,
  workspace: { id: string; name: string },
): Promise<void> {
  await database.query(
    ctx,
    `INSERT INTO tables.workspaces (org_id, id, name, created_at, updated_at)
     SELECT $1, $2, $3, at, at FROM clock_timestamp() AS at
     ON CONFLICT (org_id, id) DO NOTHING`,
    [ctx.orgId, workspace.id, workspace.name],
  );
}

/** @returns whether the workspace exists in this organisation and is not archived. */
export async function isWorkspaceOpen(
  database: Database,
  ctx: Ctx | TxCtx,
  workspaceId: string,
): Promise<boolean> {
  if (!isId('ws', workspaceId)) return false;
  const row = await database.queryOne(
    ctx,
    'SELECT 1 FROM tables.workspaces WHERE org_id = $1 AND id = $2 AND archived_at IS NULL',
    [ctx.orgId, workspaceId],
  );
  return row !== null;
}

/**
 * Holds a workspace open until the transaction ends: archiving waits for it.
 * @throws AppError workspace_not_found
 */
export async function lockWorkspace(database: Database, tx: TxCtx, workspaceId: string): Promise<void> {
  if (!isId('ws', workspaceId)) throw notFound.workspace();
  const row = await database.queryOne(
    tx,
    'SELECT id FROM tables.workspaces WHERE org_id = $1 AND id = $2 AND archived_at IS NULL FOR SHARE',
    [tx.orgId, workspaceId],
  );
  if (!row) throw notFound.workspace();
}

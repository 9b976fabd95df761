import { Inject, Injectable } from '@nestjs/common';
import { TABLES_RPC, type JsonText, type Workspace, type WorkspacePage } from '@quarry/dto';
import { isId, newId, notFound, type Ctx } from '@quarry/app';
import {
  isoTime,
  Database,
  IdempotentRequests,
  type TxCtx,
  ofTenant,
  recordAudit,
  TENANT,
  tenantOf,
} from '@quarry/postgres';
import { offsetPage } from '../sql/json-text.js';
import { requireStorableText } from '../sql/storable-text.js';
import { APP_URL } from '../tokens.js';
import { statement } from '../statements.types.js';

/** Contract resource Workspace. `$1` is always the tenant; the app's address is a literal. */
const workspaceItem = (appUrl: string) => `
  w.id, w.name, ${isoTime('w.created_at')} AS created_at, ${isoTime('w.updated_at')} AS updated_at,
  (SELECT links FROM (SELECT
     '/v1/workspaces/' || w.id AS self,
     '/v1/workspaces/' || w.id || '/tables' AS tables,
     '/v1/runs?workspace_id=' || w.id AS runs,
     ${appUrl}::text || '/workspaces/' || w.id AS app) AS links) AS links`;

/** Workspaces: the folders of tables and runs. Archiving hides one, and everything in it, for good. */
@Injectable()
export class WorkspacesStore {
  /** @param appUrl address of the web application, without a slash at its end */
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    @Inject(APP_URL) private readonly appUrl: string,
  ) {}

  /** @returns a page of open workspaces, oldest first, so that new ones do not shift earlier pages */
  async listWorkspaces(
    ctx: Ctx,
    page: { limit: number; offset: number },
  ): Promise<JsonText<typeof WorkspacePage>> {
    const row = await this.database.queryOne(
      ctx,
      LIST,
      [tenantOf(ctx), page.limit, page.offset, this.appUrl],
      'list',
    );
    return row!.json;
  }

  /** @throws AppError invalid_request when the name cannot be stored; idempotency_conflict */
  async createWorkspace(
    ctx: Ctx,
    request: { name: string; idempotencyKey?: string | null },
  ): Promise<JsonText<typeof Workspace>> {
    const { name, idempotencyKey: key = null } = request;
    requireStorableText('name', name);
    const route = TABLES_RPC.createWorkspace.pattern;
    return this.requests.inTransaction(ctx, { route, key, body: { name } }, async (tx) => {
      const id = newId('ws');
      await insertWorkspace(this.database, tx, { id, name });
      return this.getWorkspace(tx, id);
    });
  }

  /** @throws AppError workspace_not_found */
  async getWorkspace(ctx: Ctx | TxCtx, workspaceId: string): Promise<JsonText<typeof Workspace>> {
    if (!isId('ws', workspaceId)) throw notFound('ws');
    const row = await this.database.queryOne(ctx, GET, [tenantOf(ctx), workspaceId, this.appUrl], 'read');
    if (!row) throw notFound('ws');
    return row.json;
  }

  /** Hides the workspace with its tables, frozen tables and exports. @throws AppError workspace_not_found */
  async archiveWorkspace(ctx: Ctx, workspaceId: string): Promise<void> {
    if (!isId('ws', workspaceId)) throw notFound('ws');
    await this.database.transaction(ctx, async (tx) => {
      const archived = await this.database.queryOne(tx, ARCHIVE, [tenantOf(tx), workspaceId]);
      if (!archived) throw notFound('ws');
      await recordAudit(this.database, tx, { action: 'workspace.archived', object: workspaceId });
    });
  }
}

/** Inserts a workspace under an id of the caller's; an existing one is left unchanged. */
export async function insertWorkspace(
  database: Database,
  ctx: Ctx | TxCtx,
  workspace: { id: string; name: string },
): Promise<void> {
  await database.query(ctx, INSERT, [tenantOf(ctx), workspace.id, workspace.name]);
}

/** @returns whether the workspace exists in this organisation and is not archived. */
export async function isWorkspaceOpen(
  database: Database,
  ctx: Ctx | TxCtx,
  workspaceId: string,
): Promise<boolean> {
  if (!isId('ws', workspaceId)) return false;
  const row = await database.queryOne(ctx, IS_OPEN, [tenantOf(ctx), workspaceId], 'read');
  return row !== null;
}

/** Keeps a workspace open until the transaction ends: archiving waits for it. @throws AppError workspace_not_found */
export async function lockWorkspace(database: Database, tx: TxCtx, workspaceId: string): Promise<void> {
  if (!isId('ws', workspaceId)) throw notFound('ws');
  const row = await database.queryOne(tx, LOCK, [tenantOf(tx), workspaceId]);
  if (!row) throw notFound('ws');
}

const LIST = statement(
  'workspaces.list',
  `
  SELECT (${offsetPage({
    item: workspaceItem('$4'),
    from: 'tables.workspaces',
    key: 'org_id, id',
    alias: 'w',
    where: `${ofTenant('w')} AND w.archived_at IS NULL`,
    orderBy: 'w.created_at, w.id',
    limit: '$2',
    offset: '$3',
  })}) AS json`,
).rows<{ json: JsonText<typeof WorkspacePage> }>();

const GET = statement(
  'workspaces.get',
  `
  SELECT row_to_json(item)::text AS json FROM (
    SELECT ${workspaceItem('$3')} FROM tables.workspaces w
    WHERE ${ofTenant('w')} AND w.id = $2 AND w.archived_at IS NULL
  ) AS item`,
).rows<{ json: JsonText<typeof Workspace> }>();

const ARCHIVE = statement(
  'workspaces.archive',
  `
  UPDATE tables.workspaces SET archived_at = clock_timestamp(), updated_at = clock_timestamp()
  WHERE ${ofTenant()} AND id = $2 AND archived_at IS NULL RETURNING id`,
);

const INSERT = statement(
  'workspaces.insert',
  `
  INSERT INTO tables.workspaces (org_id, mode, id, name, created_at, updated_at)
  SELECT ${TENANT}, $2, $3, at, at FROM clock_timestamp() AS at
  ON CONFLICT (org_id, id) DO NOTHING`,
);

const IS_OPEN = statement(
  'workspaces.isOpen',
  `SELECT 1 FROM tables.workspaces WHERE ${ofTenant()} AND id = $2 AND archived_at IS NULL`,
);

const LOCK = statement(
  'workspaces.lock',
  `SELECT id FROM tables.workspaces WHERE ${ofTenant()} AND id = $2 AND archived_at IS NULL FOR SHARE`,
);

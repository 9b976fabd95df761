import { AppError } from '@quarry/error-codes';
import { notFound, type Ctx } from '@quarry/app';
import { ofTenant, tenantOf, type Database, type TxCtx } from '@quarry/postgres';
import type { WorkspacePort } from './ports/workspace.port.js';
import { statement } from './statements.types.js';

/** Workspace and conversation of a run; null for each that the run creates. */
export type NamedPlace =
  { workspaceId: string; conversationId: string } | { workspaceId: string | null; conversationId: null };

/**
 * Resolves the workspace and conversation that a request names.
 * @returns also the workspace of a named conversation
 * @throws AppError workspace_not_found, conversation_not_found, workspace_mismatch
 */
export async function namedPlace(
  database: Database,
  workspaces: WorkspacePort,
  ctx: Ctx | TxCtx,
  named: { workspace_id?: string | undefined; conversation_id?: string | undefined },
): Promise<NamedPlace> {
  const { workspace_id: workspaceId = null, conversation_id: conversationId } = named;
  if (workspaceId !== null && !(await workspaces.workspaceExists(ctx, workspaceId))) throw notFound('ws');
  if (conversationId === undefined) return { workspaceId, conversationId: null };
  const conversation = await database.queryOne(ctx, FIND_CONVERSATION, [tenantOf(ctx), conversationId]);
  if (!conversation || !(await workspaces.workspaceExists(ctx, conversation.workspace_id)))
    throw new AppError('conversation_not_found', 'Conversation not found.');
  if (workspaceId !== null && workspaceId !== conversation.workspace_id)
    throw new AppError('workspace_mismatch', 'This conversation belongs to another workspace.');
  return { workspaceId: conversation.workspace_id, conversationId };
}

const FIND_CONVERSATION = statement(
  'run-place.findConversation',
  `SELECT workspace_id FROM runs.conversations WHERE ${ofTenant()} AND id = $2`,
);

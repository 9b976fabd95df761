import type { Ctx } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';

/** Access of runs to workspaces. Implemented by the tables library. */
export abstract class WorkspacePort {
  /** Creates a workspace in the caller's transaction. @returns its id */
  abstract createWorkspace(tx: TxCtx, name: string): Promise<string>;
  /** @returns whether a workspace of the caller's organisation exists and is not archived */
  abstract workspaceExists(ctx: Ctx | TxCtx, workspaceId: string): Promise<boolean>;
}

import type { Ctx } from '@quarry/app';
import type { TxCtx } from '@quarry/postgres';

/** Access of runs to workspaces, which belong to the tables library. */
export abstract class WorkspacePort {
  /** Makes a workspace inside the caller's transaction. @returns its id */
  abstract createWorkspace(tx: TxCtx, name: string): Promise<string>;
  /** @returns whether a workspace of the caller's organisation exists and is not archived */
  abstract workspaceExists(ctx: Ctx | TxCtx, workspaceId: string): Promise<boolean>;
}

import { Controller } from '@nestjs/common';
import { TABLES_RPC, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { WorkspacesStore } from './workspaces.store.js';

type Rpc = typeof TABLES_RPC;

/** Answers calls about workspaces. */
@Controller()
export class WorkspacesController {
  constructor(private readonly workspaces: WorkspacesStore) {}

  @Answers(TABLES_RPC.listWorkspaces)
  listWorkspaces(ctx: Ctx, page: RequestOf<Rpc['listWorkspaces']>) {
    return this.workspaces.listWorkspaces(ctx, page);
  }

  @Answers(TABLES_RPC.createWorkspace)
  createWorkspace(ctx: Ctx, request: RequestOf<Rpc['createWorkspace']>) {
    return this.workspaces.createWorkspace(ctx, request);
  }

  @Answers(TABLES_RPC.getWorkspace)
  getWorkspace(ctx: Ctx, { workspaceId }: RequestOf<Rpc['getWorkspace']>) {
    return this.workspaces.getWorkspace(ctx, workspaceId);
  }

  @Answers(TABLES_RPC.archiveWorkspace)
  async archiveWorkspace(ctx: Ctx, { workspaceId }: RequestOf<Rpc['archiveWorkspace']>) {
    await this.workspaces.archiveWorkspace(ctx, workspaceId);
    return null;
  }
}

import { callApi, callOnce } from '../api/http';
import { refreshQueries } from '../api/queries';
import type { OffsetPage, Workspace } from '../api/resources';

/** Default workspace for imports: runs have workspaces of their own, and a file belongs to none. */
export const IMPORTS = 'Imports';

/** Creates the workspace for imports. @returns its id */
export async function createImportsWorkspace(): Promise<string> {
  const { id } = await callOnce<Workspace>('/v1/workspaces', { name: IMPORTS });
  refreshQueries('workspaces');
  return id;
}

/** @returns the id of the workspace for imports, which is created if necessary */
export async function ensureImportsWorkspace(): Promise<string> {
  const { items } = await callApi<OffsetPage<Workspace>>('/v1/workspaces?limit=1000');
  return items.find(({ name }) => name === IMPORTS)?.id ?? createImportsWorkspace();
}

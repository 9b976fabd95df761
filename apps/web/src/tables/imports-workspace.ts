import { callApi } from '../api/http';
import { refreshQueries } from '../api/queries';
import type { OffsetPage, Workspace } from '../api/resources';

/** Workspace of what comes from elsewhere, where nobody chooses another: each run has one of its own, and no file belongs to it. */
export const IMPORTS = 'Imports';

/** Makes the workspace of imports. @returns its id */
export async function createImportsWorkspace(): Promise<string> {
  const { id } = await callApi<Workspace>('/v1/workspaces', { method: 'POST', body: { name: IMPORTS } });
  refreshQueries('workspaces');
  return id;
}

/** @returns the id of the workspace of imports, which is made where there is none */
export async function ensureImportsWorkspace(): Promise<string> {
  const { items } = await callApi<OffsetPage<Workspace>>('/v1/workspaces?limit=1000');
  return items.find(({ name }) => name === IMPORTS)?.id ?? createImportsWorkspace();
}

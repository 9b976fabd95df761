import { AppError } from '@quarry/error-codes';

/** The 404s of this library: unknown, archived and foreign resources get the same words, so that they cannot be distinguished. */
export const notFound = {
  workspace: () => new AppError('workspace_not_found', 'Workspace not found.'),
  table: () => new AppError('table_not_found', 'Table not found.'),
  run: () => new AppError('run_not_found', 'Run not found.'),
  export: () => new AppError('export_not_found', 'Export not found.'),
};

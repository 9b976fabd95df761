import { AppError } from '@quarry/error-codes';

/** The 404s of this library: unknown, archived and foreign resources get the same words, so that they cannot be told apart. */
export const notFound = {
  workspace: () => new AppError('workspace_not_found', 'There is no workspace with this id.'),
  table: () => new AppError('table_not_found', 'There is no such table.'),
  run: () => new AppError('run_not_found', 'There is no run with this id.'),
  export: () => new AppError('export_not_found', 'There is no export with this id.'),
};

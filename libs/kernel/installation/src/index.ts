export { restoreBackup } from './backup/restore-backup.js';
export { writeBackup } from './backup/write-backup.js';
export { DataDir, readCredentials, StartError, type Credentials } from './data-dir.js';
export {
  borrowLocalDatabase,
  connectionsLeftAt,
  DatabaseSetUpError,
  migrateInstallation,
  openLocalDatabase,
  openMigratedDatabase,
  readKnownSchema,
  type LocalDatabase,
} from './local-database.js';
export { requireQueueServer } from './queue-server.js';

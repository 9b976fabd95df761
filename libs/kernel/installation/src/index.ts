export { DataDir, StartError, type Credentials } from './data-dir.js';
export {
  borrowLocalDatabase,
  connectionsLeftAt,
  DatabaseSetUpError,
  judgeServer,
  migrateInstallation,
  openLocalDatabase,
  openMigratedDatabase,
  type LocalDatabase,
} from './local-database.js';
export { requireQueueServer } from './queue-server.js';

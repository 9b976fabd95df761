export { freePort, PostgresServer, type PostgresServerOptions } from './postgres-server.js';
export { PostgresServerError } from './postgres-server.error.js';

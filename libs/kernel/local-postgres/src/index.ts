export { freePort, freePorts } from './free-ports.js';
export { PostgresServer } from './postgres-server.js';
export { PostgresServerError } from './postgres-server.error.js';

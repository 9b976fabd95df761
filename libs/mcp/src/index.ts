export { Confirmation } from './confirmation.js';
export { type Caller } from './tool-call.js';
export { endpointOf, mcpEndpoint, type McpEndpoint } from './mcp-server.js';
export { PageCursors } from './page-cursors.js';
export { StandingWaits } from './standing-waits.js';
export { TOOLS } from './tool-catalogue.js';
export { ToolSet } from './tool-set.js';
export { requireShortNames } from './message-names.js';

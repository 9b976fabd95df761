export { Confirmation } from './confirmation.js';
export { boundedWaits, type Caller } from './tool-call.js';
export { endpointOf, mcpEndpoint, type McpEndpoint } from './mcp-server.js';
export { ClientSessions } from './session/client-sessions.js';
export { PendingElicitations, type AnswerWay } from './session/pending-elicitations.js';
export { PageCursors } from './page-cursors.js';
export { TOOLS } from './tool-catalogue.js';
export { ToolSet } from './tool-set.js';
export { requireShortNames } from './message-names.js';

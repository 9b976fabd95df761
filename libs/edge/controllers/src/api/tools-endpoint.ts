import {
  boundedWaits,
  ClientSessions,
  Confirmation,
  mcpEndpoint,
  PendingElicitations,
  PageCursors,
  TOOLS,
  ToolSet,
  type McpEndpoint,
} from '@quarry/mcp';
import type { HeldReads } from '@quarry/app';
import type { HttpApiOptions } from '../http-api.options.js';

/** @returns the handler of /mcp: tools over the same calls and held reads as the routes */
export function toolsEndpoint(options: HttpApiOptions, heldReads: HeldReads): McpEndpoint {
  const { rpc, toolSecrets, onToolFailure, onProtocolFault } = options;
  const parts = {
    rpc,
    heldReads,
    cursors: new PageCursors(toolSecrets),
    waits: boundedWaits(),
    confirmation: new Confirmation(toolSecrets),
    tools: new ToolSet(TOOLS),
    onFailure: onToolFailure,
    onProtocolFault,
  };
  return mcpEndpoint(parts, {
    sessions: new ClientSessions(toolSecrets),
    questions: new PendingElicitations(toolSecrets, options.elicitationMailbox ?? null, (error) =>
      onToolFailure(error, 'a question', ''),
    ),
  });
}

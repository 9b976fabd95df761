import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Argument } from 'commander';
import { UsageError } from '../exit-codes.js';
import type { QuarryCommand } from '../quarry-command.js';

/** MCP clients with a configuration file: its path, and the key of its servers. */
const CLIENTS = {
  claude: { path: () => '.mcp.json', servers: 'mcpServers', type: { type: 'http' } },
  cursor: { path: () => join(homedir(), '.cursor', 'mcp.json'), servers: 'mcpServers', type: {} },
  vscode: { path: () => join('.vscode', 'mcp.json'), servers: 'servers', type: { type: 'http' } },
} as const;

/** Adds the commands for Quarry as an MCP server of an agent. */
export function addMcpCommands(program: QuarryCommand): void {
  const mcp = program.command('mcp').description('Quarry as MCP tools of an agent.');
  mcp
    .command('install')
    .description(
      'Adds Quarry to the MCP configuration of a client: .mcp.json of this folder, ~/.cursor/mcp.json, .vscode/mcp.json.',
    )
    .addArgument(new Argument('<client>', 'the agent').choices(Object.keys(CLIENTS)))
    .option('--print', 'print the configuration without writing it')
    .withSession((session, name: keyof typeof CLIENTS, { print }: { print?: boolean }) => {
      const { url, apiKey } = session.profile;
      const { path, servers, type } = CLIENTS[name];
      const address = new URL('mcp', url.endsWith('/') ? url : `${url}/`).href;
      const server = { ...type, url: address, headers: { Authorization: `Bearer ${apiKey}` } };
      const before = existsSync(path()) ? readConfig(path(), print) : {};
      const config = { ...before, [servers]: { ...(before[servers] as object | undefined), quarry: server } };
      const text = `${JSON.stringify(config, null, 2)}\n`;
      if (print) return void process.stdout.write(text);
      mkdirSync(dirname(path()), { recursive: true });
      // Writing an existing file keeps its mode, and others could read the key.
      if (existsSync(path())) chmodSync(path(), 0o600);
      writeFileSync(path(), text, { mode: 0o600 });
      session.say(`${path()} now has Quarry with your API key: do not commit the file. Restart ${name}.`);
    });
}

/**
 * @throws UsageError for a file that cannot be extended, such as JSON with comments; when printing, an unreadable file counts as
 * empty
 */
function readConfig(path: string, isPrinted = false): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch {
    if (isPrinted) return {};
    throw new UsageError(`${path} is not JSON. Nothing was changed; --print shows what to add.`);
  }
}

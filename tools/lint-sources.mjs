// Creates what lint rules read in addition to the linted files: Nx's project graph, without which the rule about libraries
// reports nothing, and generated sources, without which types are unknown.
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export function refreshSources() {
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/nx/dist/bin/nx.js'), 'run', '@quarry/sdk:generate'],
    {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' },
    },
  );
}

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Held by the process that installs. Of two apt-get at once, one fails, and several files of specs need the same program. */
const LOCK = '/tmp/quarry-apt-get.lock';
const INSTALL = 'apt-get update -qq && exec apt-get install -y -qq --no-install-recommends "$@"';

/**
 * Installs Debian packages, as root on Debian, and waits while another process installs some. Elsewhere, and where apt-get fails,
 * it does nothing: the caller finds out what is missing.
 */
export function installDebianPackages(...packages: readonly string[]): void {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  try {
    execFileSync('flock', [LOCK, 'sh', '-c', INSTALL, 'sh', ...packages], { stdio: 'ignore' });
  } catch {
    // Whatever the reason, the caller names the package.
  }
}

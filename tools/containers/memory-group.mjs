// A control group, of either version, in which the kernel keeps the limit of memory of one container.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';
/** Names of the same files in the two versions; swap of version 1 is memory and swap together. */
const VERSIONS = [
  {
    folder: join(MOUNT, 'memory'),
    files: {
      limit: 'memory.limit_in_bytes',
      swap: 'memory.memsw.limit_in_bytes',
      peak: 'memory.max_usage_in_bytes',
      kills: 'memory.oom_control',
    },
    swapOf: (bytes) => bytes,
  },
  {
    folder: MOUNT,
    files: { limit: 'memory.max', swap: 'memory.swap.max', peak: 'memory.peak', kills: 'memory.events' },
    swapOf: () => 0,
  },
];

/** Folders in which groups may have been made. */
export const GROUP_FOLDERS = VERSIONS.map(({ folder }) => folder).filter(existsSync);

export class MemoryGroup {
  /** Makes a group. @returns null where none with a limit can be made */
  static make(name, bytes) {
    for (const version of VERSIONS) {
      const folder = join(version.folder, name);
      try {
        mkdirSync(folder);
      } catch {
        continue;
      }
      const group = new MemoryGroup(folder, version.files);
      if (!existsSync(group.at('limit'))) {
        group.remove();
        continue;
      }
      writeFileSync(group.at('limit'), String(bytes));
      // A cluster has no swap; a kernel that keeps no account of it has no limit of it either.
      if (existsSync(group.at('swap'))) writeFileSync(group.at('swap'), String(version.swapOf(bytes)));
      return group;
    }
    return null;
  }

  constructor(folder, files) {
    Object.assign(this, { folder, files });
  }

  at(file) {
    return join(this.folder, this.files[file]);
  }

  /** The arguments that begin a command within the group. */
  get entering() {
    return ['sh', '-c', 'echo 0 > "$0"/cgroup.procs && exec "$@"', this.folder];
  }

  /** The most that it ever held, with the pages of files that the kernel keeps for it; in bytes. */
  get peakBytes() {
    return existsSync(this.at('peak')) ? Number(readFileSync(this.at('peak'), 'utf8')) : NaN;
  }

  /** Returns how many of its processes the kernel has killed for the limit. */
  get kills() {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(this.at('kills'), 'utf8'))?.[1]);
  }

  /** Only when nothing runs in it any more. */
  remove() {
    rmdirSync(this.folder);
  }
}

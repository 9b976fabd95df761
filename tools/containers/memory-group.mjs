// A control group of either version, in which the kernel enforces the memory limit of one container.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';
/** File names of the two versions; the swap limit of version 1 covers memory and swap together. */
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

/** Folders in which groups may have been created. */
export const GROUP_FOLDERS = VERSIONS.map(({ folder }) => folder).filter(existsSync);

export class MemoryGroup {
  /** Creates a group. @returns null when none with a limit can be created */
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
      // A cluster has no swap. A kernel without swap accounting has no limit for it either.
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

  /** Returns the prefix of a command that runs in the group. */
  get entering() {
    return ['sh', '-c', 'echo 0 > "$0"/cgroup.procs && exec "$@"', this.folder];
  }

  /** Returns the peak memory in bytes, including the page cache that the kernel counts for it. */
  get peakBytes() {
    return existsSync(this.at('peak')) ? Number(readFileSync(this.at('peak'), 'utf8')) : NaN;
  }

  /** Returns the number of its processes that the kernel has killed because of the limit. */
  get kills() {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(this.at('kills'), 'utf8'))?.[1]);
  }

  /** Removes the group, in which nothing may be running. */
  remove() {
    rmdirSync(this.folder);
  }
}

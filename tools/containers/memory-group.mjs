// A limit of memory as the kernel keeps it for a container: a control group of its own, of either version.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';
/** What the two versions call things. */
const NAMES = {
  1: { limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes', kills: 'memory.oom_control' },
  2: { limit: 'memory.max', peak: 'memory.peak', kills: 'memory.events' },
};

/** @returns {{ version: 1 | 2, folder: string } | null} where groups with a limit of memory can be made; null: nowhere */
export function findMemoryGroups() {
  const own = readFileSync('/proc/self/cgroup', 'utf8');
  // Version 1: below the own group, so that whatever holds for this process holds for the containers, too.
  const path = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(.*)$/m.exec(own)?.[1];
  const places = [
    ...(path === undefined ? [] : [join(MOUNT, 'memory', path), join(MOUNT, 'memory')]).map((folder) => ({
      version: 1,
      folder,
    })),
    { version: 2, folder: MOUNT },
  ];
  return places.find(({ version, folder }) => canMake(version, folder)) ?? null;
}

function canMake(version, folder) {
  const trial = join(folder, `quarry-trial-${process.pid}`);
  try {
    mkdirSync(trial);
  } catch {
    return false;
  }
  try {
    return existsSync(join(trial, NAMES[version].limit));
  } finally {
    rmdirSync(trial);
  }
}

/** The group of one container. */
export class MemoryGroup {
  /** @param place of {@link findMemoryGroups} */
  constructor(place, name, bytes) {
    this.names = NAMES[place.version];
    this.folder = join(place.folder, `${prefixOf(process.pid)}${name}`);
    mkdirSync(this.folder);
    writeFileSync(join(this.folder, this.names.limit), String(bytes));
  }

  /** The arguments that begin a command within the group. */
  get entering() {
    return ['sh', '-c', 'echo 0 > "$0"/cgroup.procs && exec "$@"', this.folder];
  }

  /** The most that it ever held, with the pages of files that the kernel keeps for it; in bytes. */
  get peakBytes() {
    const file = join(this.folder, this.names.peak);
    return existsSync(file) ? Number(readFileSync(file, 'utf8')) : null;
  }

  /** How many of its processes the kernel has killed for the limit. */
  get kills() {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(this.folder, this.names.kills), 'utf8'))?.[1]);
  }

  /** Only when nothing runs in it any more. */
  remove() {
    rmdirSync(this.folder);
  }
}

function prefixOf(pid) {
  return `quarry-${pid}-`;
}

/** Removes what a process that was killed has left. */
export function removeGroupsOf(pid) {
  const place = findMemoryGroups();
  if (!place) return;
  for (const name of readdirSync(place.folder).filter((each) => each.startsWith(prefixOf(pid))))
    rmdirSync(join(place.folder, name));
}

// A limit of memory as the kernel keeps it for a container: a control group of its own, of either version.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MOUNT = '/sys/fs/cgroup';
/** Names of the same files in the two versions. */
const NAMES = {
  1: {
    limit: 'memory.limit_in_bytes',
    peak: 'memory.max_usage_in_bytes',
    kills: 'memory.oom_control',
    // Of memory and swap together.
    swap: 'memory.memsw.limit_in_bytes',
  },
  2: { limit: 'memory.max', peak: 'memory.peak', kills: 'memory.events', swap: 'memory.swap.max' },
};
/** A killed process holds its group for as long as the kernel takes to free its memory. */
const FREED_WITHIN_MS = 2000;
const LOOK_MS = 20;

/**
 * @param {string} prefix of the names of groups ({@link prefixOf})
 * @returns {{ version: 1 | 2, folder: string, prefix: string } | null} where groups with a limit of memory can be made; null: nowhere
 */
export function findMemoryGroups(prefix) {
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
  const place = places.find(({ version, folder }) => canMake(version, folder, prefix));
  return place ? { ...place, prefix } : null;
}

function canMake(version, folder, prefix) {
  const trial = join(folder, `${prefix}trial`);
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

/**
 * A cluster has no swap: what is beyond the limit is killed there, and not put away.
 * @returns what is written into which files of a group, in this order
 */
export function limitsOf(version, bytes) {
  const { limit, swap } = NAMES[version];
  return { [limit]: bytes, [swap]: version === 1 ? bytes : 0 };
}

/** The group of one container. */
export class MemoryGroup {
  /** @param place of {@link findMemoryGroups} */
  constructor(place, name, bytes) {
    this.names = NAMES[place.version];
    this.folder = join(place.folder, `${place.prefix}${name}`);
    mkdirSync(this.folder);
    for (const [name, most] of Object.entries(limitsOf(place.version, bytes))) {
      const file = join(this.folder, name);
      // A kernel that keeps no account of swap has no limit of it.
      if (name !== this.names.swap || existsSync(file)) writeFileSync(file, String(most));
    }
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

  /** Returns how many of its processes the kernel has killed for the limit. */
  get kills() {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(this.folder, this.names.kills), 'utf8'))?.[1]);
  }

  /** Only when nothing runs in it any more. */
  remove() {
    rmdirSync(this.folder);
  }
}

/** @param pid whose groups they are; as everybody on the machine sees it @returns {string} what their names begin with */
export function prefixOf(pid) {
  return `quarry-${pid}-`;
}

/** Removes what a process that was killed has left, as soon as nothing lives in it any more. Never throws: what stays, stays. */
export function removeGroupsOf(pid) {
  const prefix = prefixOf(pid);
  const place = findMemoryGroups(prefix);
  if (place) removeGroups(place.folder, (name) => name.startsWith(prefix), FREED_WITHIN_MS);
}

/** Removes the groups of processes that are there no more. */
export function removeGroupsOfTheDead(isThere) {
  const place = findMemoryGroups(prefixOf(process.pid));
  if (place) removeGroups(place.folder, (name) => isOfTheDead(name, /^quarry-(\d+)-/, isThere), 0);
}

/**
 * @param {string} name of a folder. @param {RegExp} pattern whose first part is the id of the process that made it
 * @param {(pid: number) => boolean} isThere whether there is such a process
 */
export function isOfTheDead(name, pattern, isThere) {
  const pid = pattern.exec(name)?.[1];
  return pid !== undefined && !isThere(Number(pid));
}

/**
 * Removes the groups of a folder that are chosen, and tries those again that are still in use, until its time is over.
 * The wait blocks the process, because it is also called while that ends and timers do not run any more.
 */
export function removeGroups(folder, isChosen, withinMs) {
  const until = performance.now() + withinMs;
  for (;;) {
    const left = readdirSync(folder).filter((name) => isChosen(name) && !isRemoved(join(folder, name)));
    if (left.length === 0 || performance.now() >= until) return left;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}

function isRemoved(group) {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}

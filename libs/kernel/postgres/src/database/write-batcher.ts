import { untraced } from '@quarry/tracing';
import { isDatabaseUnavailable, isLockedOut } from './database.js';

interface Waiting<Item, Answer> {
  item: Item;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

export interface WriteBatcherOptions<Item, Answer> {
  /** Maximum number of items per statement. */
  size: number;
  /** Maximum number of concurrent statements. */
  writers: number;
  /** Returns the organisation whose rows each item changes. Called only while an owner is locked out. */
  ownersOf: (items: Item[]) => string[] | Promise<string[]>;
  /** Writes one item outside the groups. It fails with a lock timeout after a moment instead of waiting. */
  writeAlone: (item: Item) => Promise<Answer>;
  /** Result for an item whose rows are locked. If it is omitted, the item waits until they are unlocked. */
  whenLocked?: Answer;
}

/** Items of one owner whose rows another transaction keeps locked. */
interface LockedOwner<Item, Answer> {
  waiting: Array<Waiting<Item, Answer>>;
  isWriting: boolean;
  /** Time until which the owner's items do not join a group; monotonic milliseconds. */
  untilMs: number;
}

/** Time for which an owner is excluded from the groups after its rows were locked, in milliseconds. */
const LOCKED_OWNER_MS = 15_000;
const PAUSE_MS = 250;
/** Number of consecutive lock timeouts after which the lock is assumed to affect all items of the owner. */
const LOCKED_IN_A_ROW = 3;

/**
 * Collects concurrent items and writes them as one statement. Items that are added in one turn of the event loop are
 * written together, and while `writers` statements are in progress, further items collect for the next one. So a single
 * item does not wait, and groups grow with the load, up to `size`.
 * Each item gets its own result, so a refused item does not affect others. If the statement itself fails, its items are
 * written one by one, so that only the faulty one fails.
 * If the statement runs into a lock timeout, it is split by owner, and the items of each owner are written one by one
 * outside the groups, so that a locked account does not block others. A statement whose connection is lost is not
 * repeated, because it may have been carried out.
 * One statement for fifty items costs a twentieth of fifty statements (docs/performance.md, Bookkeeping).
 */
export class WriteBatcher<Item, Answer> {
  private readonly waiting: Array<Waiting<Item, Answer>> = [];
  private readonly lockedOwners = new Map<string, LockedOwner<Item, Answer>>();
  private turn: NodeJS.Immediate | null = null;
  private writing = 0;

  constructor(
    private readonly write: (items: Item[]) => Promise<Answer[]>,
    private readonly options: WriteBatcherOptions<Item, Answer>,
  ) {}

  /** @returns the result for this item. @throws the error for this item */
  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      // The statement serves all items, so it belongs to no single trace.
      this.turn ??= untraced(() =>
        setImmediate(() => {
          this.turn = null;
          this.flushGroups();
        }),
      );
    });
  }

  private flushGroups(): void {
    while (this.waiting.length > 0 && this.writing < this.options.writers) {
      this.writing += 1;
      void this.writeNext(this.waiting.splice(0, this.options.size)).finally(() => {
        this.writing -= 1;
        this.flushGroups();
      });
    }
  }

  private async writeNext(group: Array<Waiting<Item, Answer>>): Promise<void> {
    const free = this.lockedOwners.size === 0 ? group : await this.withoutLocked(group);
    if (free.length > 0) await this.writeGroup(free);
  }

  private async writeGroup(group: Array<Waiting<Item, Answer>>): Promise<void> {
    try {
      const answers = await this.write(group.map(({ item }) => item));
      group.forEach(({ resolve }, i) => resolve(answers[i]!));
    } catch (error) {
      if (isLockedOut(error)) await this.writeParted(group);
      else if (group.length === 1 || isDatabaseUnavailable(error))
        for (const { reject } of group) reject(error);
      else await Promise.all(group.map((each) => this.writeGroup([each])));
    }
  }

  /** @returns the items whose owners may join a group; the others are queued with their owner */
  private async withoutLocked(group: Array<Waiting<Item, Answer>>): Promise<Array<Waiting<Item, Answer>>> {
    const owners = await this.readOwners(group);
    const nowMs = performance.now();
    for (const [owner, { untilMs, waiting, isWriting }] of this.lockedOwners)
      if (untilMs < nowMs && waiting.length === 0 && !isWriting) this.lockedOwners.delete(owner);
    return group.filter((each, i) => {
      const lockedOwner = this.lockedOwners.get(owners[i]!);
      if (lockedOwner) this.queueForOwner(owners[i]!, each);
      return !lockedOwner;
    });
  }

  private async writeParted(group: Array<Waiting<Item, Answer>>): Promise<void> {
    const owners = await this.readOwners(group);
    group.forEach((each, i) => this.queueForOwner(owners[i]!, each));
  }

  /** Returns the owner of each item. If that fails, all items are queued together, separate from known owners. */
  private async readOwners(group: Array<Waiting<Item, Answer>>): Promise<string[]> {
    try {
      return await this.options.ownersOf(group.map(({ item }) => item));
    } catch {
      return group.map(() => '');
    }
  }

  private queueForOwner(owner: string, each: Waiting<Item, Answer>): void {
    const lockedOwner = this.lockedOwners.get(owner) ?? { waiting: [], isWriting: false, untilMs: 0 };
    this.lockedOwners.set(owner, lockedOwner);
    lockedOwner.waiting.push(each);
    if (lockedOwner.isWriting) return;
    lockedOwner.isWriting = true;
    void this.writeLocked(lockedOwner).finally(() => {
      lockedOwner.isWriting = false;
      if (lockedOwner.untilMs < performance.now()) this.lockedOwners.delete(owner);
    });
  }

  private async writeLocked(lockedOwner: LockedOwner<Item, Answer>): Promise<void> {
    let lockedInARow = 0;
    while (lockedOwner.waiting.length > 0) {
      const each = lockedOwner.waiting.shift()!;
      try {
        each.resolve(await this.options.writeAlone(each.item));
        lockedInARow = 0;
        lockedOwner.untilMs = 0;
      } catch (error) {
        if (!isLockedOut(error)) {
          each.reject(error);
          continue;
        }
        lockedInARow += 1;
        lockedOwner.untilMs = performance.now() + LOCKED_OWNER_MS;
        if (this.options.whenLocked === undefined) lockedOwner.waiting.push(each);
        else each.resolve(this.options.whenLocked);
      }
      if (lockedInARow < LOCKED_IN_A_ROW) continue;
      if (this.options.whenLocked !== undefined)
        for (const { resolve } of lockedOwner.waiting.splice(0)) resolve(this.options.whenLocked);
      else await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

import { PeriodicTask, type Mode } from '@quarry/app';
import { untraced } from '@quarry/tracing';
import { FOLLOWED_MAX, placeOf, type EventLog, type EventPlace, type LoggedEvent } from './event-log.js';

/** Poll interval for new events, in milliseconds. All readers of the process share one poll. */
const TICK_MS = 250;

/** A reader that receives the events after its position. */
export interface Followed {
  orgId: string;
  mode: Mode;
  place: EventPlace;
  /** Returns whether the reader can take more events now. If not, it is asked again later and misses nothing. */
  isReady: () => boolean;
  /** Receives one or more events in order. */
  onEvents: (events: readonly LoggedEvent[]) => void;
}

/** A running subscription, and the way to end it. */
export interface Following {
  stop: () => void;
}

/** The readers of one organisation. */
interface Group {
  readers: Set<Followed>;
  /** True when the log may have something that a reader has not received. */
  hasNews: boolean;
  isReading: boolean;
}

/**
 * Delivers new events of the log to readers, whichever process wrote them. One query for all organisations finds those
 * with new events, and only their events are read.
 */
export class EventFollower {
  private readonly groups = new Map<string, Group>();
  private task: PeriodicTask | null = null;
  /** Below this transaction number, everything was visible at the last poll; null before the first one. */
  private settled: string | null = null;

  constructor(
    private readonly log: Pick<EventLog, 'findChanged' | 'readAll'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Serves a reader until it stops. Its position advances with each delivery. */
  followEvents(reader: Followed): Following {
    const { orgId } = reader;
    const group = this.groups.get(orgId) ?? { readers: new Set(), hasNews: true, isReading: false };
    this.groups.set(orgId, group);
    group.readers.add(reader);
    group.hasNews = true;
    this.startTask();
    // Deferred, so that readers who subscribe in the same turn are read together. Before the first poll nothing says from
    // where the next one has to look, so that poll reads them.
    if (this.settled !== null) queueMicrotask(() => untraced(() => void this.serveGroup(orgId, group)));
    return { stop: () => this.removeReader(reader) };
  }

  /** Stops serving all readers. */
  close(): void {
    this.groups.clear();
    this.stopTask();
  }

  private startTask(): void {
    if (this.task) return;
    const task = new PeriodicTask(() => this.findNews(), { intervalMs: TICK_MS, onError: this.onError });
    this.task = task;
    queueMicrotask(() => untraced(() => task.start()));
  }

  private stopTask(): void {
    void this.task?.stop();
    this.task = null;
    this.settled = null;
  }

  private removeReader(reader: Followed): void {
    const group = this.groups.get(reader.orgId);
    group?.readers.delete(reader);
    if (group?.readers.size !== 0) return;
    this.groups.delete(reader.orgId);
    if (this.groups.size === 0) this.stopTask();
  }

  private async findNews(): Promise<void> {
    const known = new Set(this.groups.keys());
    const { settled, orgIds } = await this.log.findChanged([...known], this.settled);
    this.settled = settled;
    const changed = new Set(orgIds);
    for (const [orgId, group] of this.groups) {
      // A group that was added meanwhile may have been read before this poll saw the log.
      if (changed.has(orgId) || !known.has(orgId)) group.hasNews = true;
      void this.serveGroup(orgId, group);
    }
  }

  /** Reads the events of one organisation if there may be new ones. A failure is reported, and the next poll tries again. */
  private async serveGroup(orgId: string, group: Group): Promise<void> {
    if (group.isReading || !group.hasNews) return;
    group.isReading = true;
    group.hasNews = false;
    try {
      const haveAll = await this.serveReaders(orgId, group.readers);
      if (!haveAll) group.hasNews = true;
    } catch (error) {
      group.hasNews = true;
      this.onError(error);
    } finally {
      group.isReading = false;
    }
  }

  /**
   * Reads until every reader has caught up: a reader that resumes far back does not wait one poll per hundred events.
   * @returns false if a reader could not take all of its events
   */
  private async serveReaders(orgId: string, readers: ReadonlySet<Followed>): Promise<boolean> {
    let behind = [...readers];
    let haveAll = true;
    while (behind.length > 0) {
      const present = behind.filter((reader) => readers.has(reader));
      const readable = present.filter((reader) => reader.isReady());
      if (readable.length < present.length) haveAll = false;
      if (readable.length === 0) return haveAll;
      const found = Map.groupBy(await this.log.readAll(orgId, readable), ({ reader }) => reader);
      for (const [index, events] of found) {
        const reader = readable[index]!;
        reader.place = placeOf(reader.place.subject, events.at(-1)!);
        if (readers.has(reader)) reader.onEvents(events);
      }
      behind = readable.filter((_, index) => found.get(index)?.length === FOLLOWED_MAX);
    }
    return haveAll;
  }
}

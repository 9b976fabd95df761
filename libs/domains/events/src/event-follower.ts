import { PeriodicTask, type Mode } from '@quarry/app';
import { untraced } from '@quarry/tracing';
import { FOLLOWED_MAX, placeOf, type EventLog, type EventPlace, type LoggedEvent } from './event-log.js';

/** Milliseconds between two reads of new events: one for all readers of an organisation. */
const TICK_MS = 250;

/** A reader that is given what happens behind its place. */
export interface Followed {
  orgId: string;
  mode: Mode;
  place: EventPlace;
  /** Returns whether it takes more now; one that does not is asked again later, and misses nothing. */
  isReady: () => boolean;
  /** Events in their order, at least one. */
  onEvents: (events: readonly LoggedEvent[]) => void;
}

/** A reader that is being served, and how it leaves. */
export interface Following {
  stop: () => void;
}

/** Gives readers what comes into the log, whichever process has written it. */
export class EventFollower {
  private readonly organisations = new Map<string, { readers: Set<Followed>; task: PeriodicTask }>();

  constructor(
    private readonly log: Pick<EventLog, 'readAll'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Serves a reader until it stops; its place goes on with what it was given. */
  followEvents(reader: Followed): Following {
    const group = this.organisations.get(reader.orgId) ?? this.startFollowing(reader.orgId);
    group.readers.add(reader);
    return { stop: () => this.removeReader(reader) };
  }

  /** Serves nobody any more. */
  close(): void {
    for (const { task } of this.organisations.values()) void task.stop();
    this.organisations.clear();
  }

  private startFollowing(orgId: string) {
    const readers = new Set<Followed>();
    const task = new PeriodicTask(() => this.serveReaders(orgId, readers), {
      intervalMs: TICK_MS,
      onError: this.onError,
    });
    const group = { readers, task };
    this.organisations.set(orgId, group);
    // Not at once: whoever follows joins before the first round.
    queueMicrotask(() => untraced(() => task.start()));
    return group;
  }

  private removeReader(reader: Followed): void {
    const group = this.organisations.get(reader.orgId);
    group?.readers.delete(reader);
    if (group?.readers.size !== 0) return;
    this.organisations.delete(reader.orgId);
    void group.task.stop();
  }

  /** Asks until nobody is behind: a reader that resumes from far back need not wait a tick for each hundred events. */
  private async serveReaders(orgId: string, readers: ReadonlySet<Followed>): Promise<void> {
    let behind = [...readers];
    while (behind.length > 0) {
      const readable = behind.filter((reader) => readers.has(reader) && reader.isReady());
      if (readable.length === 0) return;
      const found = Map.groupBy(await this.log.readAll(orgId, readable), ({ reader }) => reader);
      for (const [index, events] of found) {
        const reader = readable[index]!;
        reader.place = placeOf(reader.place.subject, events.at(-1)!);
        if (readers.has(reader)) reader.onEvents(events);
      }
      behind = readable.filter((_, index) => found.get(index)?.length === FOLLOWED_MAX);
    }
  }
}

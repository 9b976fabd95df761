import { PeriodicTask, type Mode } from '@quarry/app';
import { untraced } from '@quarry/tracing';
import { FOLLOWED_MAX, placeOf, type EventLog, type EventPlace, type LoggedEvent } from './event-log.js';

/** Poll interval for new events, in milliseconds. All readers of an organisation share one poll. */
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

/** Delivers new events of the log to readers, whichever process wrote them. */
export class EventFollower {
  private readonly organisations = new Map<string, { readers: Set<Followed>; task: PeriodicTask }>();

  constructor(
    private readonly log: Pick<EventLog, 'readAll'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Serves a reader until it stops. Its position advances with each delivery. */
  followEvents(reader: Followed): Following {
    const group = this.organisations.get(reader.orgId) ?? this.startFollowing(reader.orgId);
    group.readers.add(reader);
    return { stop: () => this.removeReader(reader) };
  }

  /** Stops serving all readers. */
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
    // Deferred, so that readers who subscribe in the same turn join the first round.
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

  /** Reads until every reader has caught up: a reader that resumes far back does not wait one tick per hundred events. */
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

import { cursorPageText, EventPage, type JsonText } from '@quarry/dto';
import type { EventFollower, EventLog, EventPlace, LoggedEvent } from '@quarry/events';
import type { Ctx, HeldReads } from '@quarry/app';

/** Above this many held reads a process answers at once, as for held reads of runs. */
const WAITS_MAX = 10_000;

/** Parameters of a read of events. */
export interface EventRead {
  place: EventPlace;
  types: readonly string[] | null;
  limit: number;
  waitSeconds: number;
}

/** Reads pages of events, and holds a read while there is nothing new. */
export class EventReads {
  private readonly waits = new Set<() => void>();

  constructor(
    private readonly log: EventLog,
    private readonly follower: EventFollower,
    private readonly heldReads: HeldReads,
  ) {}

  /** @returns the next events; possibly none after the wait, or when this process stops */
  readPage(ctx: Ctx, read: EventRead): Promise<JsonText<typeof EventPage>> {
    return this.heldReads.readWithin(read.waitSeconds, async (seconds) => {
      const found = await this.readNow(ctx, read);
      if (found.length > 0 || seconds === 0 || this.waits.size >= WAITS_MAX) return pageOf(found, read.limit);
      await this.waitForNews(ctx, read, seconds);
      return pageOf(await this.readNow(ctx, read), read.limit);
    });
  }

  /** Ends every wait. */
  close(): void {
    for (const stop of this.waits) stop();
  }

  private readNow(ctx: Ctx, { place, types, limit }: EventRead): Promise<LoggedEvent[]> {
    return this.log.readAfter(ctx, place, { types, limit: limit + 1 });
  }

  private waitForNews({ orgId, mode }: Ctx, { place, types }: EventRead, seconds: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = (): void => {
        clearTimeout(timer);
        following.stop();
        this.waits.delete(stop);
        resolve();
      };
      const following = this.follower.followEvents({
        orgId,
        mode,
        place,
        isReady: () => true,
        onEvents: (events) => {
          if (types === null || events.some(({ type }) => types.includes(type))) stop();
        },
      });
      const timer = setTimeout(stop, seconds * 1000);
      this.waits.add(stop);
    });
  }
}

function pageOf(events: readonly LoggedEvent[], limit: number): JsonText<typeof EventPage> {
  const shown = events.slice(0, limit);
  const next = events.length > limit ? shown.at(-1)!.id : null;
  return cursorPageText(
    EventPage,
    shown.map(({ json }) => json),
    next,
  );
}

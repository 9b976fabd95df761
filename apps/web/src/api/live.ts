// Change events from the server: ids and revisions, after which the page reads the resource again. One tab of a browser has the
// stream and passes its events on to the others. Without a stream, pages poll as often as before.
import { currentMode } from './mode';
import { queryClient } from './query-client';

interface Change {
  readonly mode: string;
  readonly type: 'run' | 'table' | 'batch' | 'enrichment' | 'go' | 'credits';
  readonly id: string;
  readonly revision: string;
}
type Message = 'hello' | 'up' | 'down' | 'reset' | readonly Change[];

/** Queries that show a resource, and the lists that contain it. The first part of each key is the mode. */
const READS: Readonly<Record<Change['type'], (id: string) => ReadonlyArray<readonly string[]>>> = {
  run: (id) => [['run', id], ['steps', id], ['runs'], ['conversation']],
  table: (id) => [['table', id], ['cell', id], ['tables']],
  batch: (id) => [['batch', id], ['jobs']],
  enrichment: (id) => [['enrichment', id]],
  go: () => [['go']],
  credits: () => [['balance'], ['ledger'], ['usage'], ['limits'], ['steps']],
};

/** Milliseconds between two polls of a resource while the stream reports it, in case an event was lost. */
const SELDOM_MS = 15_000;
/** Milliseconds to wait after a refusal, for example when a session has too many streams. */
const RETRY_MS = 60_000;

const tableListeners = new Set<(tableId: string) => void>();
const seen = new Map<string, string>();
let isUp = false;

/** @returns milliseconds until the next poll, given the interval without a stream */
export function pollEvery(ms: number): number {
  return isUp ? Math.max(ms, SELDOM_MS) : ms;
}

/** Calls back when the rows of a table may have changed. @returns a function that ends it */
export function onTableChange(listener: (tableId: string) => void): () => void {
  tableListeners.add(listener);
  return () => tableListeners.delete(listener);
}

function applyChanges(changes: readonly Change[]): void {
  for (const { mode, type, id, revision } of changes) {
    const name = `${mode} ${type} ${id}`;
    // A reopened stream repeats such events.
    if (seen.get(name) === revision) continue;
    seen.set(name, revision);
    if (mode !== currentMode()) continue;
    for (const key of READS[type](id)) void queryClient.invalidateQueries({ queryKey: [mode, ...key] });
    if (type === 'table') for (const listener of tableListeners) listener(id);
  }
}

function takeMessage(message: Message): void {
  if (message === 'up' || message === 'down') {
    // A failing stream reconnects every two seconds: requests made meanwhile must not be cancelled.
    const isChange = isUp !== (message === 'up');
    isUp = message === 'up';
    // Shows soon that the server is unavailable, or available again.
    if (isChange) void queryClient.invalidateQueries({ queryKey: [currentMode(), 'balance'] });
  } else if (message === 'reset') void queryClient.invalidateQueries();
  else if (message !== 'hello') applyChanges(message);
}

/** Listens until the signal is aborted: one tab of a browser opens the stream, and the others listen to that tab. */
export function startLive(signal: AbortSignal): void {
  // Web locks exist only on https and on localhost, and so do sessions.
  if (!('locks' in navigator)) return;
  const channel = new BroadcastChannel('quarry.live');
  const tell = (message: Message) => {
    takeMessage(message);
    channel.postMessage(message);
  };
  let leads = false;
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data === 'hello' && leads && isUp) channel.postMessage('up' satisfies Message);
    else takeMessage(data);
  };
  channel.postMessage('hello' satisfies Message);
  signal.addEventListener('abort', () => channel.close());
  void navigator.locks
    .request('quarry.live', { signal }, async () => {
      leads = true;
      await leadTabs(tell, signal);
    })
    .catch(() => undefined);
}

/** Keeps a stream open, and opens another one after a refusal. Resolves when the signal is aborted. */
function leadTabs(tell: (message: Message) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let source: EventSource;
    const open = () => {
      source = new EventSource('/app/api/changes');
      source.onopen = () => tell('up');
      source.onmessage = ({ data }: MessageEvent<string>) => tell(JSON.parse(data) as Change[]);
      source.addEventListener('reset', () => tell('reset'));
      source.onerror = () => {
        tell('down');
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, RETRY_MS);
      };
    };
    open();
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      source.close();
      isUp = false;
      resolve();
    });
  });
}

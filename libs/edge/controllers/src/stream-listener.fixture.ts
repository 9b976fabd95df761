import { waitFor } from '@quarry/test-servers';

/** Collects the text of a stream of server-sent events as a client receives it. */
export class StreamListener {
  text = '';
  hasEnded = false;

  constructor(
    readonly response: Response,
    private readonly shutdown: AbortController,
  ) {}

  static async open<Listener extends StreamListener>(
    this: new (response: Response, shutdown: AbortController) => Listener,
    url: string,
    headers: Record<string, string>,
    lastEventId?: string,
  ): Promise<Listener> {
    const shutdown = new AbortController();
    const sent = { ...headers, ...(lastEventId ? { 'Last-Event-ID': lastEventId } : {}) };
    const listener = new this(await fetch(url, { headers: sent, signal: shutdown.signal }), shutdown);
    void listener.read();
    return listener;
  }

  async leave(): Promise<void> {
    this.shutdown.abort();
    await waitFor('the stream to end', () => this.hasEnded);
  }

  private async read(): Promise<void> {
    try {
      const decoder = new TextDecoder();
      for await (const chunk of this.response.body!) this.text += decoder.decode(chunk as Uint8Array);
    } catch {
      // The client or the server has disconnected.
    } finally {
      this.hasEnded = true;
    }
  }
}

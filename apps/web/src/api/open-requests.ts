/** Requests that spend credits and have no answer yet, each with its idempotency key. */
export class OpenRequests {
  private readonly keys = new Map<string, string>();
  private readonly answers = new Map<string, Promise<unknown>>();

  /**
   * @param newKey creates the key of a request
   * @param statusOf returns the HTTP status of an error; 0 when there was no answer
   */
  constructor(
    private readonly newKey: () => string,
    private readonly statusOf: (error: unknown) => number,
  ) {}

  /**
   * Sends a request. While it is open, the same request is not sent again. After a missing answer or a server error it is sent
   * again under the same key, because it may have arrived.
   * @param request identifies the request: equal texts are the same one
   */
  send<Answer>(request: string, start: (key: string) => Promise<Answer>): Promise<Answer> {
    const open = this.answers.get(request);
    if (open) return open as Promise<Answer>;
    const answer = this.sendWithKey(request, start).finally(() => this.answers.delete(request));
    this.answers.set(request, answer);
    return answer;
  }

  private async sendWithKey<Answer>(
    request: string,
    start: (key: string) => Promise<Answer>,
  ): Promise<Answer> {
    const key = this.keys.get(request) ?? this.newKey();
    this.keys.set(request, key);
    try {
      const answer = await start(key);
      this.keys.delete(request);
      return answer;
    } catch (error) {
      const status = this.statusOf(error);
      // Refused: the next try is a new request. After a server error the request may have been carried out all the same.
      if (status >= 400 && status < 500) this.keys.delete(request);
      throw error;
    }
  }
}

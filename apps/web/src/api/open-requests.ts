/** Requests that spend and have no answer yet, each with the key under which it is done once. */
export class OpenRequests {
  private readonly keys = new Map<string, string>();
  private readonly answers = new Map<string, Promise<unknown>>();

  /**
   * @param newKey makes the key of a request
   * @param statusOf the status of HTTP that a failure is about; 0 where no answer came
   */
  constructor(
    private readonly newKey: () => string,
    private readonly statusOf: (error: unknown) => number,
  ) {}

  /**
   * Sends a request. While it is on its way the same one is not sent again, and one that got no answer, or a failure of the server, is sent again under
   * its key: it may have arrived.
   * @param request what is asked: equal texts are one request
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
      // Refused: the next try is another request. A server that has failed may have done it all the same.
      if (status >= 400 && status < 500) this.keys.delete(request);
      throw error;
    }
  }
}

/** Requests that must be carried out once and have no answer yet, each with its idempotency key. */
export class OpenRequests {
  private readonly keys = new Map<string, string>();
  private readonly answers = new Map<string, Promise<unknown>>();

  /**
   * @param newKey creates the key of a request
   * @param isSpent tells a refusal after which the key of a request will never be answered
   */
  constructor(
    private readonly newKey: () => string,
    private readonly isSpent: (refusal: unknown) => boolean,
  ) {}

  /**
   * Sends a request. While it is open, the same request is not sent again. After a failure it is sent again under the same key:
   * an earlier attempt may have arrived without an answer, and the server stores no refusals.
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
      if (this.isSpent(error)) this.keys.delete(request);
      throw error;
    }
  }
}

/** Requests that spend and have no answer yet, each with the key under which it is done once. */
export class OpenRequests {
  private readonly keys = new Map<string, string>();
  private readonly answers = new Map<string, Promise<unknown>>();

  /**
   * @param newKey makes the key of a request
   * @param isAnswer whether a failure is the word of the server, after which the same request is a new one
   */
  constructor(
    private readonly newKey: () => string,
    private readonly isAnswer: (error: unknown) => boolean,
  ) {}

  /**
   * Sends a request. While it is on its way the same one is not sent again, and one that got no answer is sent again under
   * its key: it may have arrived.
   * @param request what is asked: equal texts are one request
   */
  send<Answer>(request: string, start: (key: string) => Promise<Answer>): Promise<Answer> {
    const open = this.answers.get(request);
    if (open) return open as Promise<Answer>;
    const answer = this.ask(request, start).finally(() => this.answers.delete(request));
    this.answers.set(request, answer);
    return answer;
  }

  private async ask<Answer>(request: string, start: (key: string) => Promise<Answer>): Promise<Answer> {
    const key = this.keys.get(request) ?? this.newKey();
    this.keys.set(request, key);
    try {
      const answer = await start(key);
      this.keys.delete(request);
      return answer;
    } catch (error) {
      if (this.isAnswer(error)) this.keys.delete(request);
      throw error;
    }
  }
}

/** The operator's settings of outreach, provided by `OutreachModule.forRoot`. */
export class OutreachSettings {
  /** @param baseUrl address of the API for recipients of messages, without a trailing slash */
  constructor(readonly baseUrl: string) {}

  /** @returns the address that unsubscribes a recipient with one click */
  unsubscribeUrl(token: string): string {
    return `${this.baseUrl}/u/${token}`;
  }
}

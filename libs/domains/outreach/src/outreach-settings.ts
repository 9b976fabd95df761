/** The operator's settings of outreach. Given by `OutreachModule.forRoot`. */
export class OutreachSettings {
  /** @param baseUrl address of the API as recipients of messages reach it, without a slash at its end */
  constructor(readonly baseUrl: string) {}

  /** @returns the address at which one click takes a recipient off */
  unsubscribeUrl(token: string): string {
    return `${this.baseUrl}/u/${token}`;
  }
}

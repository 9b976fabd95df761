/** Client for the few API calls of the first start, over HTTP like any client. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    private readonly apiKey: string,
  ) {}

  /** @throws Error with the API's message if the response is an error */
  async get<T>(path: string): Promise<T> {
    return this.sendRequest<T>(path, { method: 'GET' });
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    return this.sendRequest<T>(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  }

  private async sendRequest<T>(path: string, init: RequestInit): Promise<T> {
    const headers = { ...init.headers, authorization: `Bearer ${this.apiKey}` };
    const response = await fetch(`${this.baseUrl}${path}`, { ...init, headers });
    const body = (await response.json()) as T & { error?: { message: string } };
    if (!response.ok) throw new Error(body.error?.message ?? `The API answered ${response.status}.`);
    return body;
  }
}

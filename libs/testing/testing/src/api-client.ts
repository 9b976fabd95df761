import type { RunJson } from '@quarry/dto';
import { waitFor } from '@quarry/test-servers';

/** A response of the API with its parsed body. */
export interface ApiAnswer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** A client of the public API for specs: it never throws, so that the spec can check the response. */
export class ApiClient {
  constructor(
    readonly baseUrl: string,
    readonly apiKey: string,
  ) {}

  get<T = Record<string, unknown>>(path: string): Promise<ApiAnswer<T>> {
    return this.sendRequest<T>('GET', path);
  }

  post<T = Record<string, unknown>>(
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    return this.sendRequest<T>('POST', path, JSON.stringify(body), headers);
  }

  put<T = Record<string, unknown>>(path: string, body: unknown): Promise<ApiAnswer<T>> {
    return this.sendRequest<T>('PUT', path, JSON.stringify(body));
  }

  patch<T = Record<string, unknown>>(path: string, body: unknown): Promise<ApiAnswer<T>> {
    return this.sendRequest<T>('PATCH', path, JSON.stringify(body));
  }

  delete<T = Record<string, unknown>>(path: string): Promise<ApiAnswer<T>> {
    return this.sendRequest<T>('DELETE', path);
  }

  /** @returns the body as text, for files */
  async text(path: string): Promise<string> {
    return (
      await fetch(`${this.baseUrl}${path}`, { headers: { authorization: `Bearer ${this.apiKey}` } })
    ).text();
  }

  /** Waits until a run has ended. @returns it */
  runEnd({ id }: { id: string }, timeoutMs?: number): Promise<RunJson> {
    return waitFor(
      `the run ${id} to end`,
      async () => {
        const { body } = await this.get<RunJson>(`/v1/runs/${id}`);
        return ['completed', 'failed', 'cancelled'].includes(body.status) && body;
      },
      timeoutMs,
    );
  }

  private async sendRequest<T>(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<T>> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? null : JSON.parse(text)) as T,
    };
  }
}

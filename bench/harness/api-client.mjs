import { Agent, request } from 'node:http';

/** Calls the API over one persistent connection with as little overhead as Node allows. */
export class ApiClient {
  agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(port, apiKey) {
    this.port = port;
    this.apiKey = apiKey;
  }

  /** @returns {Promise<any>} the parsed body. @throws Error for any other status than success */
  call(method, path, body) {
    const headers = {
      Authorization: `Bearer ${this.apiKey}`,
      ...(body ? { 'Content-Type': 'application/json' } : {}),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        { agent: this.agent, host: '127.0.0.1', port: this.port, method, path, headers },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk) => (text += chunk));
          answer.on('end', () =>
            answer.statusCode < 300
              ? resolve(JSON.parse(text))
              : reject(new Error(`${answer.statusCode}: ${text}`)),
          );
        },
      );
      sent.once('error', reject);
      sent.end(body && JSON.stringify(body));
    });
  }

  close() {
    this.agent.destroy();
  }
}

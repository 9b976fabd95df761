import { request as ask } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Quarry } from '@quarry/sdk';
import { HttpSite, printMeasurement } from '@quarry/test-servers';
import { ApiClient, startProduct, type Product } from '@quarry/testing';

const LISTS = 100;
const INPUTS = 3;
const CALLS_MIN = 1_000;

type Fault = 'none' | 'cut before' | 'cut after' | 'page of a proxy' | 'half an answer';
/** Faults in a fixed order, so that all are equally frequent and every test run is the same. No request meets two in a row. */
const FAULTS: readonly Fault[] = [
  'cut after',
  'none',
  'half an answer',
  'none',
  'cut before',
  'page of a proxy',
  'none',
];

let product: Product;
let api: ApiClient;
let proxy: HttpSite;
let calls = 0;
let faults = 0;

beforeAll(async () => {
  product = await startProduct({ env: { LOG_LEVEL: 'error', RATE_LIMIT_SCALE: '1000' } });
  api = new ApiClient(product.baseUrl, product.credentials.api_key);
  const { hostname, port } = new URL(product.baseUrl);
  proxy = await HttpSite.open((incoming, response) => {
    const fault = FAULTS[calls++ % FAULTS.length]!;
    if (fault !== 'none') faults += 1;
    if (fault === 'cut before') return void incoming.socket.destroy();
    if (fault === 'page of a proxy') {
      incoming.resume();
      return void response.writeHead(502, { 'retry-after': '0' }).end('<html>Bad gateway</html>');
    }
    const { method, url: path, headers } = incoming;
    const outgoing = ask({ hostname, port, method, path, headers }, (answer) => {
      // The server has completed the request by then.
      if (fault === 'cut after') return void answer.resume().on('end', () => incoming.socket.destroy());
      response.writeHead(answer.statusCode!, answer.headers);
      if (fault === 'none') return void answer.pipe(response);
      answer.once('data', (piece: Buffer) =>
        response.write(piece.subarray(0, 20), () => incoming.socket.destroy()),
      );
      answer.resume();
    });
    outgoing.on('error', () => incoming.socket.destroy());
    incoming.pipe(outgoing);
  });
});
afterAll(async () => {
  await proxy.stop();
  await product.dispose();
});

describe('long lists run by the SDK over a connection that fails at every other call', () => {
  it('are answered line by line, and paid once, as the ledger shows', async () => {
    const quarry = new Quarry({ baseUrl: proxy.origin, apiKey: product.credentials.api_key, retriesMax: 8 });
    const balance = async (): Promise<number> =>
      (await api.get<{ balance: number }>('/credits')).body.balance;
    const before = await balance();
    let found = 0;
    for (let list = 0; list < LISTS || calls < CALLS_MIN; list += 1) {
      const inputs = Array.from({ length: INPUTS }, (_, at) => ({
        first_name: `Person${list}`,
        last_name: `Doe${at}`,
        domain: 'dunera.example',
      }));
      const places: number[] = [];
      for await (const { index, line } of quarry.batches.run('getEmail', inputs)) {
        places.push(index);
        if (line.status === 'completed' && line.result?.found && !line.reused) found += 1;
      }
      expect(places).toEqual(inputs.map((_, at) => at));
    }
    printMeasurement(`${calls} calls, ${faults} of them with a fault: ${found} lines found and paid`);
    expect(before - (await balance())).toBe(found);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunJson } from '@quarry/dto';
import { TraceCollector } from '@quarry/test-servers';
import { ApiClient, ProviderSimulator, startProduct, type Product } from '@quarry/testing';
import { traceOf, untilTraced } from '../trace-paths.fixture.js';

const VENDOR_KEY = 'vendor-key-0f-th3-sp3c';

describe('traces of the started product', () => {
  let collector: TraceCollector;
  let vendor: ProviderSimulator;
  let product: Product;
  let api: ApiClient;

  beforeAll(async () => {
    collector = await TraceCollector.start();
    vendor = await ProviderSimulator.start(VENDOR_KEY);
    product = await startProduct({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        // One name for all processes, so that a fleet and a single process have the same expected traces.
        OTEL_SERVICE_NAME: 'quarry',
        VENDOR_URL: vendor.url,
        VENDOR_KEY,
        VENDOR_SERVICES: 'getPhoneNumber',
      },
    });
    api = new ApiClient(product.baseUrl, product.credentials.api_key);
  });
  afterAll(async () => {
    await product.dispose();
    await collector.stop();
    await vendor.stop();
  });

  it('lead from a request to the vendor called for its line, and to the end of the line', async () => {
    const trace = traceOf('a');
    const person = {
      first_name: 'Ada',
      last_name: 'Lovelace',
      linkedin_url: 'https://linkedin.com/in/ada-l',
    };
    const { status } = await api.post(
      '/v1/services/jobs/batch',
      { service: 'getPhoneNumber', inputs: [{ ...person, domain: 'ok.vendor.test' }] },
      { traceparent: trace.header },
    );
    expect(status).toBe(202);
    await untilTraced(collector, trace, [
      'quarry POST /v1/services/jobs/batch',
      'quarry services.batches.create > quarry transaction > quarry line-matcher.insertBatch',
      'quarry transaction > quarry add service-get-phone-number',
      'quarry transaction > quarry line getPhoneNumber > quarry job-lease.claim',
      'quarry line getPhoneNumber > quarry job-lease.start',
      'quarry line getPhoneNumber > quarry provider vendor > quarry POST',
      'quarry line getPhoneNumber > quarry job-lease.settle',
    ]);
    const outbound = collector.trace(trace.id).find(({ name }) => name === 'POST')!;
    expect(outbound.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(vendor.url).port),
      'http.response.status_code': 200,
    });
    const [call] = vendor.calls;
    expect(call).toMatchObject({ outcome: 'answered' });
  });

  it('lead from a request to the end of its run, and to the ends of the lines it paid for', async () => {
    const trace = traceOf('b');
    const prompt = '2 engineers at software companies in the United States, with work email';
    const { body } = await api.post<RunJson>('/v1/runs', { prompt }, { traceparent: trace.header });
    await api.runEnd(body);
    const paths = await untilTraced(collector, trace, [
      'quarry POST /v1/runs',
      'quarry runs.runs.create > quarry transaction > quarry run.insert',
      'quarry transaction > quarry add agent-runs',
      'quarry run > quarry step plan',
      'quarry run > quarry step table.create > quarry transaction > quarry table-writer.createTable',
      'quarry run > quarry step column > quarry transaction > quarry line getEmail > quarry provider sandbox',
      'quarry line getEmail > quarry job-lease.settle',
      'quarry run > quarry step table.fit',
      'quarry transaction > quarry run-lease.end',
    ]);
    expect(paths.filter((path) => path.endsWith('quarry line getEmail'))).toHaveLength(2);
  });

  it('contain nothing that anybody has sent, found or stored', () => {
    const { api_key: key } = product.credentials;
    const secrets = [
      key,
      key.slice(-24),
      VENDOR_KEY,
      'engineers',
      'Lovelace',
      'ada-l',
      'vendor.test',
      '.example',
      'SELECT',
    ];
    expect(secrets.filter((secret) => collector.text.includes(secret))).toEqual([]);
    expect(collector.faults).toEqual([]);
  });
});

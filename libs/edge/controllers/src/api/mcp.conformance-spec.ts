import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DynamicModule, FactoryProvider } from '@nestjs/common';
import { ClientSessions, endpointOf, PendingElicitations } from '@quarry/mcp';
import { systemCtx } from '@quarry/app';
import { createTestDatabase, type TestDatabase } from '@quarry/testing';
import { printMeasurement } from '@quarry/test-servers';
import { IdentityStore } from '@quarry/identity';
import { FixedRpc } from '../fixed-rpc.fixture.js';
import { openEdge, TOOL_SECRETS } from '../open-edge.fixture.js';
import { conformanceServer } from './mcp-conformance.fixture.js';
import { MCP_ENDPOINT } from '../tokens.js';

const COMMAND = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

/** Scenarios that test only the transport and the list of tools. */
const WITHOUT_FIXTURES = [
  'tools-list',
  'server-stateless',
  'dns-rebinding-protection',
  'http-header-validation',
];
/** Checks of these scenarios that call tools which only the fixture has. */
const WANTS_FIXTURES = [
  'server-stateless:sep-2575-server-rejects-undeclared-capability',
  'server-stateless:sep-2575-missing-capability-http-400',
  'server-stateless:sep-2575-http-server-no-independent-requests-on-stream',
  'server-stateless:sep-2575-server-no-log-without-loglevel',
];

describe('the public MCP conformance suite', () => {
  const opened: Array<() => Promise<unknown>> = [];
  const folder = mkdtempSync(join(tmpdir(), 'quarry-conformance-'));
  let test: TestDatabase;
  let apiKey: string;

  beforeAll(async () => {
    test = await createTestDatabase();
    apiKey = (await new IdentityStore(test.database).createOrganisation(systemCtx('spec'), { name: 'Spec' }))
      .apiKey;
  });
  afterAll(async () => {
    for (const close of opened.reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
    await test.drop();
  });

  /** @returns the address of a proxy in front of the edge that adds the key: the suite has no option for it */
  async function served(replace: (module: DynamicModule) => DynamicModule): Promise<string> {
    const { api, port } = await openEdge(test, new FixedRpc(), {}, replace);
    opened.push(() => api.close());
    const proxy = keyAddingProxy(port, apiKey).listen(0, '127.0.0.1');
    opened.push(async () => void proxy.close());
    await once(proxy, 'listening');
    return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  }

  /** @returns the output of the suite, and the exit code: 0 when only expected checks failed */
  function runSuite(
    url: string,
    args: string[],
    expected: readonly string[],
  ): Promise<{ code: number; printed: string }> {
    const baseline = join(folder, `${Math.random()}.yaml`);
    writeFileSync(
      baseline,
      `server:${expected.length === 0 ? ' []' : ''}\n${expected.map((each) => `  - ${each}\n`).join('')}`,
    );
    const command = [COMMAND, 'server', '--url', url, '--expected-failures', baseline, '-o', folder, ...args];
    return new Promise((resolve) =>
      execFile(process.execPath, command, { cwd: folder, maxBuffer: 1e8 }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, printed: `${stdout}\n${stderr}` }),
      ),
    );
  }

  const totals = (printed: string): string =>
    (/Total: .*/.exec(printed) ?? /Passed: .*/.exec(printed))?.[0] ?? printed.slice(-300);

  it.each(['2025-11-25', '2026-07-28'])(
    "passes for the transport with the suite's fixtures, as %s requires",
    async (revision) => {
      const url = await served((module) => ({
        ...module,
        providers: module.providers!.map((each) =>
          (each as FactoryProvider).provide === MCP_ENDPOINT
            ? { provide: MCP_ENDPOINT, useValue: endpointOf(conformanceServer, asking()) }
            : each,
        ),
      }));
      const { code, printed } = await runSuite(url, ['--requirements', revision], []);
      printMeasurement(`conformance, ${revision}, fixtures: ${totals(printed)}`);
      expect({ code, printed: code === 0 ? '' : printed.slice(-20_000) }).toEqual({ code: 0, printed: '' });
    },
  );

  it("passes for the product's tools where it needs no fixtures", async () => {
    const url = await served((module) => module);
    for (const scenario of WITHOUT_FIXTURES) {
      const { code, printed } = await runSuite(
        url,
        ['--scenario', scenario, '--spec-version', '2026-07-28'],
        WANTS_FIXTURES.filter((each) => each.startsWith(scenario)),
      );
      printMeasurement(`conformance, ${scenario}, the tools of the product: ${totals(printed)}`);
      expect({ scenario, code, printed: code === 0 ? '' : printed.slice(-20_000) }).toEqual({
        scenario,
        code: 0,
        printed: '',
      });
    }
  });
});

/** Options with which any tool of the suite may send requests to its client. */
const asking = () => ({
  sessions: new ClientSessions(TOOL_SECRETS),
  questions: new PendingElicitations(TOOL_SECRETS, null, () => undefined),
  mayAsk: () => true,
  onError: () => undefined,
});

function keyAddingProxy(port: number, apiKey: string): Server {
  return createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const onward = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: url,
        headers: { ...headers, authorization: `Bearer ${apiKey}` },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
}

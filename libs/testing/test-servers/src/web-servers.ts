import { FactSites } from './fact-sites.js';
import { ModelServer } from './model-server.js';
import { VendorSimulator } from './vendor-simulator.js';

/** External services of web research: a model, a search engine (SearXNG) and sites. */
export class WebServers {
  private constructor(
    readonly sites: FactSites,
    readonly model: ModelServer,
    readonly search: VendorSimulator,
  ) {}

  static async start(): Promise<WebServers> {
    const sites = await FactSites.start();
    const model = await ModelServer.start('openai');
    const search = await VendorSimulator.start({ key: null, refusal: { status: 401 } });
    return new WebServers(sites, model, search);
  }

  /**
   * @param hosts of the sites that the product may read
   * @param vendors additional servers that it may call
   * @returns environment variables that configure these servers
   */
  env(hosts: readonly string[], vendors: readonly VendorSimulator[] = []): Record<string, string> {
    const { model, search, sites } = this;
    const allowed = [
      ...hosts.map((host) => `${host}:${sites.port}`),
      ...[search, ...vendors].map(({ host }) => host),
    ];
    return {
      MODEL_URL: model.url,
      MODEL_KEY: model.key,
      MODEL_NAME: 'spec-model',
      SEARXNG_URL: search.url,
      FETCH_ALLOW_HOSTS: allowed.join(),
    };
  }

  async stop(): Promise<void> {
    await Promise.all([this.model.stop(), this.search.stop(), this.sites.stop()]);
  }
}

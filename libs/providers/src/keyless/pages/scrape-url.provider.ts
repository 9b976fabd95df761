import type { ProviderAnswer, ProviderCall, LookupProvider } from '../../ports/lookup.port.js';
import { pageFailure } from './page-failure.js';
import type { PageReader } from './page-reader.js';

/** scrapeUrl: a page as text, links and metadata. A page that is not there is a miss. */
export class ScrapeUrlProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['scrapeUrl'];

  constructor(private readonly reader: PageReader) {}

  async run({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const page = await this.reader
      .read((input as { url: string }).url, { signal })
      .catch(pageFailure(this.id));
    const { url, status, title, description, language, markdown, links, metadata } = page;
    const output = {
      ...{ url, status, title, description, language, markdown, links, metadata },
      retrieved_at: new Date().toISOString(),
      provider: this.id,
    };
    return { found: status < 400, deep: false, provider: this.id, output };
  }
}

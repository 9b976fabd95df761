import {
  answerOf,
  ProviderFailure,
  type ProviderAnswer,
  type ProviderCall,
  type LookupProvider,
} from '@quarry/engine';
import { pageFailure } from './page-failure.js';
import type { PageReader } from './page-reader.js';

/** Implements scrapeUrl: a page as text, links and metadata. A missing or empty page is a miss. Scripts run only on request. */
export class ScrapeUrlProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['scrapeUrl'];

  constructor(private readonly reader: PageReader) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { url: requestedUrl, render = false } = input as { url: string; render?: boolean };
    const { renderer } = this.reader;
    if (render && !renderer)
      throw new ProviderFailure('provider_unavailable', 'No browser is configured to render the page.', {
        provider: this.id,
      });
    const read = render
      ? this.reader.renderPage(requestedUrl, renderer!, { signal })
      : this.reader.readArticle(requestedUrl, { signal });
    const page = await read.catch(pageFailure(this.id));
    const { url, status, title, description, language, markdown, links, metadata } = page;
    return answerOf(this.id, status < 400 && page.html.trim() !== '', {
      url,
      status,
      title,
      description,
      language,
      markdown,
      links,
      metadata,
      retrieved_at: new Date().toISOString(),
    });
  }
}

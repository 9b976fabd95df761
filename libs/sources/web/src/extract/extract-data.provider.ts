import { readObjectSchema } from '@quarry/dto';
import {
  answerOf,
  type ProviderAnswer,
  type ProviderCall,
  type LookupProvider,
  ProviderFailure,
} from '@quarry/engine';
import { pageFailure } from '../pages/page-failure.js';
import type { PageReader } from '../pages/page-reader.js';
import { readPages } from '../pages/site-pages.js';
import { factsOf, SchemaFiller } from '@quarry/extraction';

/**
 * Implements extractData without a model: fills the schema from JSON-LD, microdata, OpenGraph, meta elements, and mail and
 * telephone links. Prose is not read.
 */
export class ExtractDataProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['extractData'];

  constructor(private readonly reader: PageReader) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { urls, schema: sent } = input as { urls: string[]; schema: unknown };
    const { schema, faults } = readObjectSchema(sent);
    if (faults.length > 0)
      throw new ProviderFailure('provider_rejected', 'schema must have the type object and properties.', {
        provider: this.id,
      });
    const pages = await readPages(this.reader, [...new Set(urls)], signal);
    // Throws the reason why the first one could not be read.
    if (pages.length === 0) await this.reader.readPage(urls[0]!, { signal }).catch(pageFailure(this.id));
    const filler = new SchemaFiller(new Date().toISOString());
    const { data, basis } = filler.fillSchema(schema, pages.map(factsOf));
    const found = basis.some(({ citations }) => citations.length > 0);
    return answerOf(this.id, found, { data, basis });
  }
}

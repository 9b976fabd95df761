import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { pageFailure } from '../pages/page-failure.js';
import type { PageReader } from '../pages/page-reader.js';
import { emailPatternOf } from './email-pattern.js';
import { eachOnce, peopleAddresses, readPeoplePages } from './people-pages.js';

/** Implements findEmailPattern with addresses on the company's own pages. */
export class EmailPatternProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['findEmailPattern'];

  constructor(private readonly reader: PageReader) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { domain } = input as { domain: string };
    const pages = await readPeoplePages(this.reader, domain, signal).catch(pageFailure(this.id));
    const found = emailPatternOf(eachOnce(peopleAddresses(pages, domain)));
    return answerOf(this.id, found.pattern !== null, found);
  }
}

import { readForOrganisation } from '@quarry/safe-http';
import type { StructuredData } from './structured-data.js';

/** Page in the form that research needs. It is serialisable as JSON. */
export interface WebPage {
  /** Address of the page after all redirects. */
  url: string;
  title: string | null;
  /** Text as Markdown, followed from `statedFrom` by a line `place: value` for each value of its structured data. */
  text: string;
  /** Offset in UTF-16 units; the length of the text when the page has no structured data. */
  statedFrom: number;
  links: Array<{ url: string; text: string }>;
  /** Structured data from which the `place: value` lines were created. */
  stated: StructuredData;
}

/** Field whose value pages provide as structured data. */
export interface StructuredField {
  /** JSON pointer. */
  field: string;
  value: string | number | boolean;
  reasoning: string;
  isDisputed: boolean;
  /** Sources of the value: the address of the page and the line of its text. One per page, the strongest first. */
  places: Array<{ url: string; line: string }>;
}

/** Reads web pages through the network guard and according to the rules of their sites. */
export abstract class WebPages {
  /**
   * @param url address with its scheme
   * @returns the page; null when there is none at this address
   * @throws ProviderFailure when it must not or cannot be read; the signal's reason when it was aborted
   */
  abstract readPage(url: string, signal: AbortSignal): Promise<WebPage | null>;

  /** @returns fields of an object's schema with the values that the pages provide; earlier pages count more */
  abstract fieldsOf(
    schema: Readonly<Record<string, unknown>>,
    pages: readonly StructuredData[],
  ): StructuredField[];
}

/** Reads pages for one organisation, scheduled fairly with other organisations. */
export class OrganisationPages extends WebPages {
  constructor(
    private readonly orgId: string,
    private readonly pages: WebPages,
  ) {
    super();
  }

  readPage(url: string, signal: AbortSignal): Promise<WebPage | null> {
    return readForOrganisation(this.orgId, () => this.pages.readPage(url, signal));
  }

  fieldsOf(schema: Readonly<Record<string, unknown>>, pages: readonly StructuredData[]): StructuredField[] {
    return this.pages.fieldsOf(schema, pages);
  }
}

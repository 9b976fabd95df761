import { readForOrganisation } from '@quarry/safe-http';
import type { StructuredData } from './structured-data.js';

/** A page as research needs it. All of it can be kept as JSON. */
export interface WebPage {
  /** Address of the page, behind all redirects. */
  url: string;
  title: string | null;
  /** Its words as Markdown, then from `statedFrom` on a line `place: value` for each value of its structured data. */
  text: string;
  /** In UTF-16 units; the length of the text where the page states nothing. */
  statedFrom: number;
  links: Array<{ url: string; text: string }>;
  /** Structured data that the lines were made from. */
  stated: StructuredData;
}

/** A field that pages fill in their forms for programs. */
export interface StructuredField {
  /** JSON pointer. */
  field: string;
  value: string | number | boolean;
  reasoning: string;
  isDisputed: boolean;
  /** Places of the value: the address of the page, and the line of its text. Each page once, the strongest one first. */
  places: Array<{ url: string; line: string }>;
}

/** Reads pages of the web, guarded and by their sites' rules. */
export abstract class WebPages {
  /**
   * @param url address with its scheme
   * @returns the page; null where there is none at this address
   * @throws ProviderFailure when it may not or cannot be read; the signal's reason when it was aborted
   */
  abstract readPage(url: string, signal: AbortSignal): Promise<WebPage | null>;

  /** @returns fields of an object's schema with the values that the pages state, the first page counting most */
  abstract fieldsOf(
    schema: Readonly<Record<string, unknown>>,
    pages: readonly StructuredData[],
  ): StructuredField[];
}

/** Reads pages for one organisation, in turns with those of others. */
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

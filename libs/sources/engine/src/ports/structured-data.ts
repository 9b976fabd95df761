/** Structured data of a page. Web addresses are absolute. */
export interface StructuredData {
  url: string;
  title: string | null;
  /** Language as the page declares it, such as `en-GB`. */
  language: string | null;
  /** Content of its `meta` elements, by lower-case name or property. */
  metadata: Record<string, string>;
  /** JSON-LD nodes. */
  structured: unknown[];
  /** Microdata nodes, in the form of JSON-LD. */
  microdata: unknown[];
  /** Contacts of people and companies on the page, in page order. */
  contacts: PageContact[];
  /** Name-value pairs of its two-column tables and definition lists: `Founded`, `1911`. */
  pairs: Array<{ name: string; value: string }>;
  /** Original HTML, where it is retained. */
  html?: string;
}

/** Contact of a person or company on a page, with the surrounding words. */
export interface PageContact {
  kind: 'email' | 'phone' | 'profile';
  /** E-mail address, phone number as written, or URL of a LinkedIn profile. */
  value: string;
  /** Surrounding text, at most 300 characters. */
  near: string;
}

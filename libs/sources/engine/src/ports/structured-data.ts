/** Structured data of a page, and nothing else of it. Web addresses are absolute. */
export interface StructuredData {
  url: string;
  title: string | null;
  /** As the page names its language, such as `en-GB`. */
  language: string | null;
  /** Content of its `meta` elements, by name or property in lower case. */
  metadata: Record<string, string>;
  /** Nodes that it describes in JSON-LD. */
  structured: unknown[];
  /** Nodes that it describes in microdata, as JSON-LD would. */
  microdata: unknown[];
  /** Addresses of people and companies that it names, in its own order. */
  contacts: PageContact[];
  /** Names with values from its tables of two columns and its lists of terms: `Founded`, `1911`. */
  pairs: Array<{ name: string; value: string }>;
  /** Its text as it came, where that is kept. */
  html?: string;
}

/** Contact of a person or company on a page, and the words beside it. */
export interface PageContact {
  kind: 'email' | 'phone' | 'profile';
  /** Address, number as it is written, or web address of a profile at LinkedIn. */
  value: string;
  /** At most 300 characters. */
  near: string;
}

/** What a page says, as text and as data. Web addresses are absolute. */
export interface Page {
  title: string | null;
  description: string | null;
  /** As the page names its language, such as `en-GB`. */
  language: string | null;
  /** The article of the page where it has one, else all of it. */
  markdown: string;
  links: Array<{ url: string; text: string }>;
  /** Content of its `meta` elements, by name or property in lower case. */
  metadata: Record<string, string>;
  /** Things that it describes in JSON-LD. */
  structured: unknown[];
  /** Sources of its scripts, as they are written. */
  scripts: string[];
}

/** A page that was read. */
export interface ReadPage extends Page {
  /** Where it came from in the end. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Its text as it came, at most 2 MB. */
  html: string;
}

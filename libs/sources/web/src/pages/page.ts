import type { StructuredData } from '@quarry/engine';

/** Metadata of a page, and its links. Web addresses are absolute. */
export interface PageHead extends Pick<StructuredData, 'title' | 'language' | 'metadata'> {
  description: string | null;
  links: Array<{ url: string; text: string }>;
}

/** Parsed content of a page. */
export interface Page extends PageHead, Omit<StructuredData, 'url' | 'html'> {
  /** Links in its header, navigation and footer, and in blocks for following; with their accessible labels. */
  framing: Array<{ url: string; label: string }>;
  /** All occurrences of possible telephone numbers, links first; null when they are too many to evaluate. */
  numbers: PageNumber[] | null;
  /** Addresses of its feeds. */
  feeds: string[];
  /** Sources of its scripts, unresolved. */
  scripts: string[];
}

/** Occurrence of a possible telephone number on a page. */
export interface PageNumber {
  /** Number as written, at most 300 characters; that of a link decoded. */
  text: string;
  /** Surrounding words, at most 300 characters. */
  near: string;
  /** True for a `tel:` link. */
  isLink: boolean;
  /** True in text of others: a quotation, or a section about customers. */
  isQuoted: boolean;
}

/** An entry of a feed. Missing fields are null. */
export interface FeedItem {
  title: string | null;
  url: string;
  snippet: string | null;
  /** ISO 8601. */
  published_at: string | null;
}

export interface SiteMapEntries {
  pages: Array<{ url: string; lastModified: string | null }>;
  /** Further site maps, if it is an index. */
  siteMaps: string[];
}

export interface ReadPage extends Page, AnsweredPage {}

/** Page as received. */
export interface AnsweredPage {
  /** Address of the file after all redirects. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Its HTML as received, at most 2 MB. */
  html: string;
}

/** Text of a page. Creating it is most of the cost of parsing a page, so it is only created on request. */
export interface PageText {
  /** The article of the page if it has one, else the whole page. */
  markdown: string;
}

export type PageArticle = PageHead & PageText;

export interface ReadOptions {
  signal: AbortSignal;
}

/** Source of pages, read with the options of the caller. */
export interface PageSource<Read extends ReadPage = ReadPage> {
  /**
   * @param url address, with or without a scheme
   * @returns the page, also when its status says that it does not exist
   * @throws OutboundError when it must not or cannot be read
   */
  readPage(url: string, options: ReadOptions): Promise<Read>;
  /**
   * Reads a page that may not exist. A page with an error status is not parsed.
   * @returns null for such a page
   * @throws OutboundError when it must not or cannot be read
   */
  findPage(url: string, options: ReadOptions): Promise<Read | null>;
}

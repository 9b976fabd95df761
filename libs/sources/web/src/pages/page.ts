import type { StructuredData } from '@quarry/engine';

/** Words of a page about itself, and its links. Web addresses are absolute. */
export interface PageHead extends Pick<StructuredData, 'title' | 'language' | 'metadata'> {
  description: string | null;
  links: Array<{ url: string; text: string }>;
}

/** Content of a page, as data. */
export interface Page extends PageHead, Omit<StructuredData, 'url' | 'html'> {
  /** Those of its header, navigation and footer, and of blocks that are named for following; with what a reader is told they are. */
  framing: Array<{ url: string; label: string }>;
  /** Every place where it shows what may be a telephone number, links first; null where they are too many to judge. */
  numbers: PageNumber[] | null;
  /** Feeds that it names. */
  feeds: string[];
  /** Sources of its scripts, as they are written. */
  scripts: string[];
}

/** A place where a page shows what may be a telephone number. */
export interface PageNumber {
  /** As it is written, at most 300 characters; that of a link decoded. */
  text: string;
  /** Words beside it, at most 300 characters. */
  near: string;
  /** It is one that a click calls. */
  isLink: boolean;
  /** It stands in what somebody else says: a quotation, or a part named for customers. */
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

/** Entries of a site map. */
export interface SiteMapEntries {
  pages: Array<{ url: string; lastModified: string | null }>;
  /** Further site maps, where it is an index of them. */
  siteMaps: string[];
}

/** A page that was read. */
export interface ReadPage extends Page, AnsweredPage {}

/** A page as it came. */
export interface AnsweredPage {
  /** Address of the file, behind all redirects. */
  url: string;
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Its text as it came, at most 2 MB. */
  html: string;
}

/** Making its words is most of what parsing a page costs, so they are there for who asks for them. */
export interface PageText {
  /** The article of the page where it has one, else all of it. */
  markdown: string;
}

export type PageArticle = PageHead & PageText;

export interface ReadOptions {
  signal: AbortSignal;
}

/** Source of pages, which are read with the options of the caller. */
export interface PageSource<Read extends ReadPage = ReadPage> {
  /**
   * @param url address, with or without a scheme
   * @returns the page, also one that says with its status that there is none
   * @throws OutboundError when it may not or cannot be read
   */
  readPage(url: string, options: ReadOptions): Promise<Read>;
  /**
   * Reads a page that may be missing. One that says so with its status is not parsed.
   * @returns null for such a page
   * @throws OutboundError when it may not or cannot be read
   */
  findPage(url: string, options: ReadOptions): Promise<Read | null>;
}

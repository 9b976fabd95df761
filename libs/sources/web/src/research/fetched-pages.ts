import { WebPages, type StructuredField, type WebPage, type StructuredData } from '@quarry/engine';
import { factsOf, type Fact, SchemaFiller, type FilledField, type FieldSchema } from '@quarry/extraction';
import { pageFailure } from '../pages/page-failure.js';
import type { PageReader } from '../pages/page-reader.js';
import type { ReadPage } from '../pages/page.js';

const HEADING = 'Stated for programs';
/** Maximum number of characters of a page's text; a longer page is truncated. */
// When a claim cites the page, both together are folded in one turn of the event loop: 60 ms of CPU time.
const WORDS_CHARACTERS_MAX = 150_000;
const STRUCTURED_LINES_CHARACTERS_MAX = 50_000;
const LINES_MAX = 1_000;
const LINE_CHARACTERS_MAX = 1_200;
/** Maximum number of characters of a page's structured data that are stored for recovery after a crash. */
const STRUCTURED_CHARACTERS_MAX = 500_000;

/** Pages for research, read directly from the web. */
export class FetchedPages extends WebPages {
  constructor(private readonly reader: PageReader) {
    super();
  }

  async readPage(url: string, signal: AbortSignal): Promise<WebPage | null> {
    const page = await this.reader.withText.readPage(url, { signal }).catch(pageFailure('web'));
    if (page.status >= 400) return null;
    const stated = structuredDataOf(page);
    const words = page.markdown
      .slice(0, WORDS_CHARACTERS_MAX)
      .replace(/\\([\\`*_{}[\]()#+\-.!|>~])/g, '$1')
      .trim();
    const lines = linesOf(stated);
    const head = lines.length === 0 ? words : `${words}\n\n# ${HEADING}\n\n`;
    return {
      url: page.url,
      title: page.title,
      text: head + lines.join('\n').slice(0, STRUCTURED_LINES_CHARACTERS_MAX),
      statedFrom: head.length,
      links: page.links,
      stated,
    };
  }

  fieldsOf(schema: FieldSchema, pages: readonly StructuredData[]): StructuredField[] {
    const { filled } = new SchemaFiller('').readFields(schema, pages.map(factsOf));
    return filled.flatMap((each) => (each.facts.length === 0 ? [] : [fieldOf(each)]));
  }
}

function fieldOf({ field, value, reasoning, isDisputed, facts }: FilledField): StructuredField {
  const places = new Map<string, string>();
  for (const fact of facts) if (!places.has(fact.page.url)) places.set(fact.page.url, lineOf(fact));
  return {
    field,
    value: value as StructuredField['value'],
    reasoning,
    isDisputed,
    places: [...places].map(([url, line]) => ({ url, line })),
  };
}

/** @returns a distinct line for each structured value of a page, by relevance */
function linesOf(page: StructuredData): string[] {
  const { nodes, facts } = factsOf(page);
  const all = [...nodes.flatMap((node) => node.facts), ...facts].map(lineOf);
  return [...new Set(all)].slice(0, LINES_MAX);
}

function lineOf({ place, value }: Fact): string {
  const line = `${place.replace(/\s+/g, ' ')}: ${String(value).replace(/\s+/g, ' ').trim()}`;
  return line.slice(0, LINE_CHARACTERS_MAX);
}

function structuredDataOf(page: ReadPage): StructuredData {
  const { url, title, language, metadata, structured, microdata, contacts, pairs } = page;
  const small = { url, title, language, metadata, contacts, pairs };
  const isSmall = JSON.stringify([structured, microdata]).length <= STRUCTURED_CHARACTERS_MAX;
  return { ...small, structured: isSmall ? structured : [], microdata: isSmall ? microdata : [] };
}

import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { readHome } from './page-failure.js';
import type { PageReader } from './page-reader.js';
import type { ReadPage } from './page.js';
import { marksOf, type PageMarks } from './page-fingerprint.js';
import { TECH_SIGNATURES, type TechSignature } from './tech-signatures.js';

const EVIDENCE_MAX = 120;

export interface DetectedTech {
  name: string;
  category: string;
  /** Mark as found on the page. */
  evidence: string;
}

/** Implements detectTech with the home page and its server's headers; each technology with the mark that was found. */
export class TechProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['detectTech'];

  constructor(private readonly reader: PageReader) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { domain } = input as { domain: string };
    const page = await readHome(this.id, this.reader, domain, signal);
    const items = page ? technologiesOf(page) : [];
    return answerOf(this.id, items.length > 0, { items });
  }
}

type MarkedPage = Pick<ReadPage, 'headers' | 'html' | 'metadata' | 'scripts' | 'url'>;

/** @returns technologies in the order of the table of signatures */
export function technologiesOf(page: MarkedPage): DetectedTech[] {
  const marks = marksOf(page);
  return TECH_SIGNATURES.flatMap((signature) => {
    const evidence = evidenceOf(signature, page, marks);
    return evidence === null ? [] : [{ name: signature.name, category: signature.category, evidence }];
  });
}

function evidenceOf(
  { header, cookie, script, generator, tag, inline, asset }: TechSignature,
  page: MarkedPage,
  marks: PageMarks,
): string | null {
  const value = header ? page.headers[header[0]] : undefined;
  if (header && value !== undefined && header[1].test(value))
    return shortenText(`header ${header[0]}: ${value}`);
  const cookies = (page.headers['set-cookie'] ?? '')
    .split(/,(?=[^;,]+=)/)
    .map((each) => each.split('=')[0]!.trim());
  const own = cookie && cookies.find((name) => cookie.test(name));
  if (own) return shortenText(`cookie ${own}`);
  const made = page.metadata.generator;
  if (generator && made !== undefined && generator.test(made)) return shortenText(`generator: ${made}`);
  const source = script && [...page.scripts, ...marks.loaded].find((each) => script.test(each));
  if (source) return shortenText(`script ${source}`);
  const loaded = asset && marks.assets.find((each) => asset.test(each));
  if (loaded) return shortenText(`file ${loaded}`);
  const piece = tag?.exec(marks.tags)?.[0] ?? inline?.exec(marks.inline)?.[0];
  return piece === undefined ? null : shortenText(`page: ${piece.trim()}`);
}

function shortenText(text: string): string {
  return text.length > EVIDENCE_MAX ? `${text.slice(0, EVIDENCE_MAX - 1)}…` : text;
}

import { registrableDomain } from '@quarry/dto';
import type { Claim, ProofPage, Refusal } from './claim.js';
import { confidenceOf } from './confidence.js';
import { proveClaim, ReadPageText } from './prove-claim.js';
import {
  leafAt,
  REFUSALS,
  verifiedOutput,
  type OutputSchema,
  type ProvedCitation,
  type ProvedClaim,
  type VerifiedOutput,
} from './verified-output.js';

/** Page that a run has read, with the data for its citation. */
export interface EvidencePage extends ProofPage {
  readonly title: string | null;
  readonly sha256: string;
  /** ISO 8601. */
  readonly retrievedAt: string;
}

/** Position of a published value in the text of a page, in UTF-16 units. */
export interface ProofRange {
  readonly field: string;
  readonly sha256: string;
  readonly from: number;
  readonly to: number;
}

interface Proved {
  value: unknown;
  reasoning: string;
  isDisputed: boolean;
  /** Citations by page, so that a page that proves the value twice counts once. */
  places: Map<string, { citation: ProvedCitation; range: ProofRange; domain: string }>;
}

const CITATIONS_MAX = 5;

/** Pages that a run has read, and the values they prove. A value only gets into an output through this class. */
export class Evidence {
  private readonly pages = new Map<string, { page: EvidencePage; text: ReadPageText }>();
  private readonly texts = new Map<string, ReadPageText>();
  private readonly proved = new Map<string, Proved>();
  private readonly why = new Map<string, string>();

  /** @param ownDomains registrable domains of the subject of the run */
  constructor(
    private readonly schema: OutputSchema,
    private readonly ownDomains: ReadonlySet<string>,
  ) {}

  get pageCount(): number {
    return this.pages.size;
  }

  addPage(page: EvidencePage): void {
    const text = new ReadPageText(page);
    this.pages.set(page.id, { page, text });
    this.texts.set(page.id, text);
  }

  /** Number of characters compared for all claims so far; see {@link ReadPageText}. */
  get comparedCharacters(): number {
    return [...this.texts.values()].reduce((sum, { comparedCharacters }) => sum + comparedCharacters, 0);
  }

  /**
   * Returns the amount that the first claim citing a page adds to {@link comparedCharacters}; 0 when the page has been cited.
   */
  foldingCharactersOf(pageId: string): number {
    return this.texts.get(pageId)?.foldingCharacters ?? 0;
  }

  /**
   * Accepts a claim if it is proved. Another page that proves the same value becomes a further citation; a page that proves
   * another value makes the field disputed.
   * @returns the reason of a refusal; null when it is proved
   */
  submit(
    claim: Claim,
    reasoning: string,
    { isDisputed = false }: { isDisputed?: boolean } = {},
  ): Refusal | null {
    const leaf = leafAt(this.schema, claim.field);
    if (!leaf) return 'value_not_in_schema';
    const verdict = proveClaim(claim, leaf.schema, this.texts, leaf.name);
    if (verdict.kind === 'refused') {
      if (!this.proved.has(claim.field)) this.why.set(claim.field, REFUSALS[verdict.refusal]);
      return verdict.refusal;
    }
    const { page } = this.pages.get(claim.pageId)!;
    const known = this.proved.get(claim.field) ?? {
      value: claim.value,
      reasoning,
      isDisputed,
      places: new Map(),
    };
    this.proved.set(claim.field, known);
    known.isDisputed ||= isDisputed || known.value !== claim.value;
    if (known.value !== claim.value || known.places.has(page.id)) return null;
    known.places.set(page.id, {
      citation: {
        url: page.url,
        title: page.title,
        excerpt: verdict.excerpt,
        retrieved_at: page.retrievedAt,
      },
      range: { field: claim.field, sha256: page.sha256, ...verdict.range },
      domain: domainOf(page.url),
    });
    return null;
  }

  /** @returns the output with the values proved so far, and the position of each in a page */
  verified(): VerifiedOutput & { proofs: ProofRange[] } {
    const claims = [...this.proved].map(([field, each]) => this.claimOf(field, each));
    const proofs = [...this.proved.values()].flatMap(({ places }) =>
      [...places.values()].map(({ range }) => range),
    );
    const unsaid = this.pages.size === 0 ? 'No page could be read.' : undefined;
    return { ...verifiedOutput(this.schema, claims, this.why, unsaid), proofs };
  }

  private claimOf(field: string, { value, reasoning, isDisputed, places }: Proved): ProvedClaim {
    const all = [...places.values()];
    const confidence = confidenceOf(
      all.map(({ domain }) => domain),
      this.ownDomains,
      { isDisputed },
    );
    const rest = isDisputed ? ' Other places say something else.' : '';
    const citations = all.slice(0, CITATIONS_MAX).map(({ citation }) => citation);
    return { field, value, reasoning: reasoning + rest, confidence, citations };
  }
}

/** @returns the registrable domain of an address; its host when it has none, such as an IP address */
function domainOf(url: string): string {
  const { hostname } = new URL(url);
  return registrableDomain(hostname) ?? hostname;
}

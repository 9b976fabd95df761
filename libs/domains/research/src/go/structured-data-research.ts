import type { CreateGoRunRequest } from '@quarry/dto';
import { Evidence, type OutputSchema } from '@quarry/extraction';
import type { Research, ResearchStep } from '@quarry/language-models';
import type { WebPage, WebPages } from '@quarry/engine';
import { SCHEMA_DEFAULT } from './go-terms.js';
import type { GoOutcome } from './go-steps.js';
import { domainsNamedIn, ResearchScope } from './research-scope.js';

/**
 * Research without a model: reads the pages of the request in order, and fills the fields from their structured data.
 * Prose is ignored.
 */
export class StructuredDataResearch implements Research<GoOutcome> {
  private readonly urls: string[];
  private readonly stated: Array<WebPage['stated']> = [];
  private readonly idByUrl = new Map<string, string>();
  private readonly evidence: Evidence;
  private readonly schema: Record<string, unknown>;

  constructor(
    request: CreateGoRunRequest,
    private readonly pages: WebPages,
  ) {
    const scope = new ResearchScope(request);
    this.urls = (request.urls ?? []).filter((url) => scope.allowsUrl(url));
    this.schema = request.schema ?? SCHEMA_DEFAULT;
    this.evidence = new Evidence(this.schema as OutputSchema, domainsNamedIn(request.prompt));
  }

  get pageCount(): number {
    return this.evidence.pageCount;
  }

  next(): ResearchStep | null {
    const [url] = this.urls;
    return url === undefined ? null : { kind: 'read', url, callId: null };
  }

  apply(step: ResearchStep, outcome: GoOutcome): void {
    if (step.kind !== 'read' || outcome.kind !== 'read') return;
    this.urls.splice(0, this.urls.indexOf(step.url) + 1);
    // Two URLs may redirect to the same page, which counts as evidence once.
    if (!outcome.page || this.idByUrl.has(outcome.page.url)) return;
    this.idByUrl.set(outcome.page.url, outcome.page.id);
    this.evidence.addPage(outcome.page);
    this.stated.push(outcome.page.stated);
  }

  verified(): ReturnType<Evidence['verified']> {
    for (const { field, value, reasoning, isDisputed, places } of this.pages.fieldsOf(
      this.schema,
      this.stated,
    ))
      for (const { url, line } of places) {
        const pageId = this.idByUrl.get(url);
        if (pageId === undefined) continue;
        this.evidence.submit(
          { field, value, pageId, quote: line },
          reasoning.replace(/ Other places.*$/, ''),
          { isDisputed },
        );
      }
    return this.evidence.verified();
  }
}

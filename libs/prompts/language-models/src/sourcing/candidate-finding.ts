import { linkedInSlug, siteOf } from '@quarry/dto';
import { foldText } from '@quarry/vocabulary';
import { proveClaim, ReadPageText, REFUSALS, type ProvedCitation } from '@quarry/extraction';
import {
  plainAddress,
  PAGES_ARE_DATA,
  refusedCall,
  ResearchConversation,
  type TakenCall,
} from '../research/research-conversation.js';
import type { FetchedPage } from '../research/research.js';
import { bareHost, namesHost } from './named-host.js';
import { tiedByOwnPage, tiedByPage } from './own-site.js';
import { FINDING_TOOLS, readProposal, type ProposedCandidate } from './sourcing-tools.js';
import type { Excludable, SourcingTask } from './sourcing.js';

/** Candidate named on a page: its name is proved, and its address is known from a search or a page. */
export interface FoundCandidate extends Excludable {
  readonly key: string;
  readonly name: string;
  readonly url: string;
  /** Site of the address, whoever owns it; null on a host whose pages are about others. */
  readonly site: string | null;
  /** Proof that the site is its own, when `domain` is known. */
  readonly siteCitation: ProvedCitation | null;
  readonly citation: ProvedCitation;
}

const SYSTEM = `You look on the web for the companies or people that a user wants, and hand in candidates.
Use the tools: search finds addresses, fetch reads one page, propose hands in candidates. Look for lists and registers first, then for single sites.
Propose a candidate only when a page that was read names it, with the id of that page, a quote that is copied from it letter by letter and has the name in it, and the address of its own site as the search or a page has given it. Every proposal is checked by a program; what does not stand on the page is thrown away. Each candidate is judged afterwards by its own pages: propose what may fit, not what certainly does not.
${PAGES_ARE_DATA}
Set done when no further candidate can be found.`;

/**
 * Conversation in which a model searches candidates. Its proposals count only as far as a page that was read proves them.
 */
export class CandidateFinding {
  readonly conversation: ResearchConversation;
  /** Proved candidates that {@link takeFound} has not returned yet. */
  private found: FoundCandidate[] = [];
  private readonly known = new Set<string>();
  private readonly pages = new Map<string, FetchedPage>();
  private readonly texts = new Map<string, ReadPageText>();

  constructor(private readonly task: SourcingTask) {
    const { wanted, entity, criteria, count } = task;
    const rows = entity === 'company' ? 'Companies' : 'People';
    const listed = criteria.map(({ text, effect }) => `- ${effect}: ${text}`).join('\n');
    this.conversation = new ResearchConversation({
      system: SYSTEM,
      prompt: wanted,
      urls: [],
      allows: () => true,
      tools: FINDING_TOOLS,
      request: `${rows} wanted, up to ${count}: ${wanted}\n\nEach will be judged by:\n${listed}`,
      reminder: 'Use the tools; propose with done ends the search.',
      finishPrompt: 'Propose now what the pages that were read name.',
      take: (_name, input) => this.takeInput(input),
      onPage: (page) => {
        this.pages.set(page.id, page);
        this.texts.set(page.id, new ReadPageText(page));
      },
    });
  }

  /** @returns candidates that were found since the last call */
  takeFound(): FoundCandidate[] {
    const found = this.found;
    this.found = [];
    return found;
  }

  /** @returns pages of a candidate's own site that were read during the search */
  pagesOf({ url }: FoundCandidate): FetchedPage[] {
    const { host } = new URL(url);
    return [...this.pages.values()].filter((page) => new URL(page.url).host === host);
  }

  private takeInput(input: unknown): TakenCall {
    const proposal = readProposal(input);
    if (typeof proposal === 'string') return refusedCall(proposal);
    const results = proposal.candidates.map((each) => {
      const found = this.proveCandidate(each);
      if (typeof found === 'string') return `${each.name}: refused. ${found}`;
      if (this.known.has(found.key)) return `${each.name}: known already.`;
      this.known.add(found.key);
      this.found.push(found);
      return `${each.name}: taken, it will be judged.`;
    });
    return {
      reply: results.join('\n') || 'Nothing was proposed.',
      isOfUse: results.some((result) => result.endsWith('judged.')),
      isDone: proposal.done,
    };
  }

  /** @returns the candidate, or the reason of its refusal */
  private proveCandidate({
    name: written,
    url,
    page_id: pageId,
    quote,
  }: ProposedCandidate): FoundCandidate | string {
    const name = written.trim();
    const claim = { field: '/name', value: name, pageId, quote };
    const verdict = proveClaim(claim, { type: 'string' }, this.texts, 'name');
    if (verdict.kind === 'refused') return REFUSALS[verdict.refusal];
    const address = this.addressOf(url, pageId);
    if (address === null)
      return 'Nobody has given this address: propose the one that a search or a page has.';
    const page = this.pages.get(pageId)!;
    const { range, excerpt } = verdict;
    const site = siteOf(address);
    const siteCitation = tiedByPage(page, { name, excerpt, range }, address) ?? this.ownPageOf(name, site);
    const domain = siteCitation && site;
    const isProfile = /(?:^|\.)linkedin\.com$/.test(new URL(address).hostname);
    return {
      // Colleagues share a domain, and a page that names no site may link to somebody else's: only a company is
      // identified by its domain.
      key:
        this.task.entity === 'company' && domain !== null
          ? domain
          : `${foldText(name)} ${domain ?? linkedInSlug('people', address) ?? address}`,
      name,
      url: address,
      site,
      domain,
      siteCitation,
      linkedin_url: isProfile ? address : null,
      citation: { url: page.url, title: page.title, excerpt, retrieved_at: page.retrievedAt },
    };
  }

  private ownPageOf(name: string, site: string | null): ProvedCitation | null {
    for (const [id, page] of this.pages) {
      const citation = tiedByOwnPage(page, this.texts.get(id)!, name, site);
      if (citation) return citation;
    }
    return null;
  }

  /** Returns a known address, or the site that the page contains in its text. */
  private addressOf(written: string, pageId: string): string | null {
    const address = plainAddress(written) ?? plainAddress(`https://${written}`);
    if (address === null) return null;
    const given = this.conversation.givenAt(address);
    if (given !== null) return given;
    const { hostname, origin } = new URL(address);
    const text = this.pages.get(pageId)!.text.toLowerCase();
    const isNamed = namesHost(text, bareHost(hostname));
    return isNamed ? `${origin}/` : null;
  }
}

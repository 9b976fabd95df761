import type { ResearchOutcome, ResearchStep } from '../research/research.js';
import type { BasisEntry, OutputSchema, ProvedCitation } from '@quarry/extraction';

/** Criterion that rows are checked against, in words. */
export interface SourcingCriterion {
  readonly text: string;
  readonly effect: 'require' | 'prefer' | 'exclude';
}

/** Task of a search of the web. */
export interface SourcingTask {
  /** In the words of the user. */
  readonly wanted: string;
  readonly entity: 'company' | 'person';
  /** Candidates wanted that are not disqualified. */
  readonly count: number;
  /** Wanted facts about each beside its name and its site, by column. */
  readonly fields: Readonly<Record<string, OutputSchema>>;
  readonly criteria: readonly SourcingCriterion[];
}

/** Names by which an exclusion list may exclude somebody. */
export interface Excludable {
  readonly domain: string | null;
  readonly linkedin_url: string | null;
}

/** A step of sourcing. `check`: candidates are looked for in the exclusion lists, for nothing. */
export type SourcingStep =
  ResearchStep | { readonly kind: 'check'; readonly candidates: readonly Excludable[] };

/** Result of a step. `excluded`: places in the list of those who are not to be sourced. */
export type SourcingOutcome =
  ResearchOutcome | { readonly kind: 'check'; readonly excluded: readonly number[] };

/** Verdict on one criterion. */
export interface CriterionVerdict {
  /** Null: no page that was read says it in a way that can be proved. */
  readonly holds: boolean | null;
  readonly reason: string;
  /** The words of the page, where `holds` is known. */
  readonly citation: ProvedCitation | null;
}

/** A company or person that a page names, as far as it is known. */
export interface SourcedCandidate {
  /** The same for the same candidate at each replay. */
  readonly key: string;
  readonly name: string;
  /** An address that a search or a page has given. */
  readonly url: string;
  /** Registrable domain of the address, or its host where it has none; null where no page shows that the site is its own. */
  readonly domain: string | null;
  /** Proof of that, where `domain` is known. */
  readonly siteCitation: ProvedCitation | null;
  /** Its address, where that is a profile there. */
  readonly linkedin_url: string | null;
  /** Place of a page that names it. */
  readonly citation: ProvedCitation;
  /** By column: what pages about it prove, null where none does. */
  readonly values: Readonly<Record<string, BasisEntry>>;
  /** One for each criterion of the task, in their order. */
  readonly verdicts: readonly CriterionVerdict[];
  /** The budget or the time was spent before it was judged to the end. */
  readonly isCutShort: boolean;
}

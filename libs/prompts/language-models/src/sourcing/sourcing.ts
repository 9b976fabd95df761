import type { ResearchOutcome, ResearchStep } from '../research/research.js';
import type { BasisEntry, OutputSchema, ProvedCitation } from '@quarry/extraction';

/** Criterion that rows are checked against, as text. */
export interface SourcingCriterion {
  readonly text: string;
  readonly effect: 'require' | 'prefer' | 'exclude';
}

/** Task of sourcing from the web. */
export interface SourcingTask {
  /** Description in the words of the user. */
  readonly wanted: string;
  readonly entity: 'company' | 'person';
  /** Requested number of candidates that are not disqualified. */
  readonly count: number;
  /** Requested facts about each candidate in addition to its name and site, by column. */
  readonly fields: Readonly<Record<string, OutputSchema>>;
  readonly criteria: readonly SourcingCriterion[];
}

/** Identifiers with which an exclusion list may exclude a candidate. */
export interface Excludable {
  readonly domain: string | null;
  readonly linkedin_url: string | null;
}

/** Step of sourcing. `check`: candidates are checked against the exclusion lists, free of charge. */
export type SourcingStep =
  ResearchStep | { readonly kind: 'check'; readonly candidates: readonly Excludable[] };

/** Outcome of a step. `excluded`: indexes of the candidates that must not be sourced. */
export type SourcingOutcome =
  ResearchOutcome | { readonly kind: 'check'; readonly excluded: readonly number[] };

export interface CriterionVerdict {
  /** Null when no page that was read proves or disproves it. */
  readonly holds: boolean | null;
  readonly reason: string;
  /** Quote from the page, when `holds` is known. */
  readonly citation: ProvedCitation | null;
}

/** Company or person that a page names, with the data known so far. */
export interface SourcedCandidate {
  /** Identifier that is the same for the same candidate at each replay. */
  readonly key: string;
  readonly name: string;
  /** Address from a search or a page. */
  readonly url: string;
  /** Registrable domain of the address, or its host if it has none; null when no page proves that the site is its own. */
  readonly domain: string | null;
  /** Proof of that, when `domain` is known. */
  readonly siteCitation: ProvedCitation | null;
  /** Its address, if that is a LinkedIn profile. */
  readonly linkedin_url: string | null;
  /** Quote from the page that names it. */
  readonly citation: ProvedCitation;
  /** Values by column that pages about it prove; null without proof. */
  readonly values: Readonly<Record<string, BasisEntry>>;
  /** One verdict per criterion of the task, in order. */
  readonly verdicts: readonly CriterionVerdict[];
  /** True when the budget or the time was used up before its evaluation was complete. */
  readonly isCutShort: boolean;
}

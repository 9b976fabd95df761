import type { ModelAnswer } from '../language-model.port.js';
import type { EvidencePage, ProofRange, VerifiedOutput } from '@quarry/extraction';

/** Paid step of a run. A step is journaled as a whole: it is paid once, or not at all. */
export type ResearchStep =
  | { readonly kind: 'read'; readonly url: string; readonly callId: string | null }
  | { readonly kind: 'search'; readonly query: string; readonly callId: string }
  | { readonly kind: 'think' };

/** Page as returned by a step. */
export interface FetchedPage extends EvidencePage {
  readonly links: ReadonlyArray<{ readonly url: string; readonly text: string }>;
}

/** Outcome of a step; `fault` is a sentence for the model that requested it. */
export type ResearchOutcome =
  | { readonly kind: 'read'; readonly page: FetchedPage | null; readonly fault: string | null }
  | {
      readonly kind: 'search';
      readonly items: ReadonlyArray<{
        readonly title: string | null;
        readonly url: string;
        readonly snippet: string | null;
      }>;
      readonly fault: string | null;
    }
  | { readonly kind: 'think'; readonly answer: Pick<ModelAnswer, 'text' | 'toolCalls' | 'finish'> };

/**
 * Research as a state machine replayed from a journal: the same steps with the same outcomes lead to the same state, so
 * that a worker that takes over a run can resume after any step. It has no side effects.
 */
export interface Research<Outcome = ResearchOutcome> {
  /** @returns the next step; null when there is none. Calling it again returns the same step. */
  next(): ResearchStep | null;
  /** Applies the outcome of a step, which is the one from {@link next}, or the one in the journal. */
  apply(step: ResearchStep, outcome: Outcome): void;
  /** @returns the values proved so far */
  verified(): VerifiedOutput & { proofs: ProofRange[] };
  readonly pageCount: number;
}

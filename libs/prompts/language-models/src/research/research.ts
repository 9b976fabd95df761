import type { ModelAnswer } from '../language-model.port.js';
import type { EvidencePage, ProofRange, VerifiedOutput } from '@quarry/extraction';

/** Paid step of a run. One step is journaled whole: it is paid once, or not at all. */
export type ResearchStep =
  | { readonly kind: 'read'; readonly url: string; readonly callId: string | null }
  | { readonly kind: 'search'; readonly query: string; readonly callId: string }
  | { readonly kind: 'think' };

/** A page as a step gives it. */
export interface FetchedPage extends EvidencePage {
  readonly links: ReadonlyArray<{ readonly url: string; readonly text: string }>;
}

/** Result of a step; `fault` is a sentence for the model that called it. */
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
 * Research as a machine over a journal: the same steps with the same outcomes lead to the same state, so that whoever takes a run over
 * goes on from any step. It does nothing by itself.
 */
export interface Research<Outcome = ResearchOutcome> {
  /** @returns what is to be done next; null when there is nothing more to do. Asked again, it says the same. */
  next(): ResearchStep | null;
  /** Takes what a step gave; the step is the one of {@link next}, or the one that the journal has. */
  apply(step: ResearchStep, outcome: Outcome): void;
  /** @returns what is proved so far */
  verified(): VerifiedOutput & { proofs: ProofRange[] };
  /** Pages that were read. */
  readonly pageCount: number;
}

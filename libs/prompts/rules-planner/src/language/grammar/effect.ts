import type { QualificationEffect } from '@quarry/dto';
import type { OpenCriterion } from '../draft.js';
import type { Wording } from './wording.js';

/**
 * Effect of "ideally", "must" or "disqualify": while one is active, statements are criteria by which rows are evaluated,
 * not filters. It is active until the end of the sentence; one in the middle of a sentence only up to the next comma.
 */
export class Effect {
  private ruling: { readonly effect: QualificationEffect; readonly start: number } | null = null;
  private endsAtComma = false;

  /** @param openCriteria receives criteria that remain text */
  constructor(
    private readonly wording: Wording,
    private readonly openCriteria: OpenCriterion[],
  ) {}

  /** Null for filters. */
  get current(): QualificationEffect | null {
    return this.ruling?.effect ?? null;
  }

  /**
   * Starts an effect and ends an active one, whose lost words are reported as not understood, and are not a criterion.
   * @param start first token after the cue
   */
  begin(effect: QualificationEffect, start: number, isMidSentence: boolean): void {
    this.ruling = { effect, start };
    this.endsAtComma = isMidSentence;
  }

  readComma(): void {
    if (this.endsAtComma) this.end();
  }

  /** Ends the effect. A criterion without a check is kept as text, so that rows are "unknown" by it. */
  end(): void {
    const text = this.ruling ? this.wording.lostSince(this.ruling.start) : null;
    if (this.ruling && text !== null) this.openCriteria.push({ text, effect: this.ruling.effect });
    this.ruling = null;
    this.endsAtComma = false;
  }
}

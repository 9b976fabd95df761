import type { QualificationEffect } from '@quarry/dto';
import type { OpenCriterion } from '../draft.js';
import type { Wording } from './wording.js';

/**
 * "Ideally", "must", "disqualify": while one of these rules, what is said is a criterion that rows are judged by, not a
 * filter that finds them. It rules until the sentence ends; one in the middle of a sentence only up to the next comma.
 */
export class Effect {
  private ruling: { readonly effect: QualificationEffect; readonly start: number } | null = null;
  private endsAtComma = false;

  /** @param openCriteria where criteria go that stay words */
  constructor(
    private readonly wording: Wording,
    private readonly openCriteria: OpenCriterion[],
  ) {}

  /** Null for filters. */
  get current(): QualificationEffect | null {
    return this.ruling?.effect ?? null;
  }

  /**
   * One that rules already gives way: its lost words are reported as not understood, and are no criterion.
   * @param start first token after the cue
   */
  begin(effect: QualificationEffect, start: number, isMidSentence: boolean): void {
    this.ruling = { effect, start };
    this.endsAtComma = isMidSentence;
  }

  readComma(): void {
    if (this.endsAtComma) this.end();
  }

  /** A criterion whose words gave no check stays as words, so that rows are judged "unknown" by it. */
  end(): void {
    const text = this.ruling ? this.wording.lostSince(this.ruling.start) : null;
    if (this.ruling && text !== null) this.openCriteria.push({ text, effect: this.ruling.effect });
    this.ruling = null;
    this.endsAtComma = false;
  }
}

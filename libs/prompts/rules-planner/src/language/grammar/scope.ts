import type { Entity } from '@quarry/plan';
import { listOf } from '../phrase-list.js';
import type { Condition } from '../condition.js';
import type { MeaningOf, Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';

/** Prepositions that speak of the company only when a company stands behind them: "people from Spain" are people. */
const WEAK_SCOPES = new Set(
  listOf('of | for | from | within | inside | working in | who work in | work in | run | running'),
);

/**
 * Decides whether a statement is about the person or the company. A role is always of the person; only places and names can
 * be of either. They are of the company when it took the scope over ("CTOs at …"), which holds across sentences, or
 * when their phrase ends in one ("German fintech companies"); else of the person, once people were spoken of.
 */
export class Scope {
  private current: Entity | null = null;

  /** @param entities what rows were said to be so far; it grows while the prompt is read */
  constructor(
    private readonly reading: Reading,
    private readonly spans: readonly Span[],
    private readonly entities: readonly Entity[],
  ) {}

  /**
   * "At", "of", "living in".
   * @param cue the words of the cue, folded
   * @param index of the cue's span
   */
  readCue(cue: string, of: Entity, index: number): void {
    if (of === 'person' || !WEAK_SCOPES.has(cue) || this.isCompanyAhead(index + 1)) this.current = of;
  }

  /** "CTOs of companies in …": after people, a company takes over. */
  readNoun(entity: Entity): void {
    if (entity === 'company' && this.hasPerson()) this.current = 'company';
  }

  /** @param index of the condition's span */
  ofCondition({ on }: Condition, index: number): Entity {
    if (on === 'roles') return 'person';
    if (on !== 'places' && on !== 'names') return 'company';
    if (this.current === 'company' || this.isCompanyAhead(index + 1)) return 'company';
    return this.current === null && !this.hasPerson() ? 'company' : 'person';
  }

  /**
   * A field is the department of a person or the line of business of a company.
   * @param index of the field's span
   * @returns null when it is no line of business and nobody is near who could work in it
   */
  ofField({ industryIds }: MeaningOf<'field'>, index: number): Entity | null {
    const next = this.spans[index + 1]?.meaning;
    const noun = next?.type === 'entity' ? next.entity : null;
    if (this.hasPerson() && this.current !== 'company' && noun !== 'company') return 'person';
    if (industryIds.length > 0) return 'company';
    return noun === 'person' ? 'person' : null;
  }

  /** True after "at" and the like: a department named now is not that of the person before. */
  get isCompany(): boolean {
    return this.current === 'company';
  }

  private hasPerson(): boolean {
    return this.entities.includes('person');
  }

  /** True when the nouns that follow without a preposition end in a company: "German fintech companies". */
  private isCompanyAhead(from: number): boolean {
    for (let index = from; index < this.spans.length; index += 1) {
      const { start, meaning } = this.spans[index] as Span;
      const before = this.spans[index - 1];
      if (before && this.hasGap(before.end, start)) return false;
      if (meaning.type === 'entity') return meaning.entity === 'company';
      if (meaning.type === 'condition') {
        const { on } = meaning.condition;
        if (on === 'roles') return false;
        if (on !== 'places') return true;
      } else if (meaning.type === 'field') return this.isCompany || meaning.industryIds.length > 0;
      else if (!['conjunction', 'count', 'sort', 'top'].includes(meaning.type)) return false;
    }
    return false;
  }

  /** Between two spans stands a break or a preposition, so that they are not one noun phrase. */
  private hasGap(from: number, to: number): boolean {
    return this.reading.tokens
      .slice(from, to)
      .some(
        ({ kind, folded }) =>
          kind === 'break' || /^(in|with|that|which|who|on|to|by|based|whose|near)$/.test(folded),
      );
  }
}

import type { Entity } from '@quarry/plan';
import { listOf } from '../phrase-list.js';
import type { Condition } from '../condition.js';
import type { MeaningOf, Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';

/** Prepositions that refer to the company only if a company follows: "people from Spain" are people. */
const WEAK_SCOPES = new Set(
  listOf('of | for | from | within | inside | working in | who work in | work in | run | running'),
);

/**
 * Decides whether a statement is about the person or the company. A role always belongs to the person; only places and
 * names are ambiguous. They belong to the company after its scope has started ("CTOs at …"), which continues across
 * sentences, or when their phrase ends in a company ("German fintech companies"); otherwise to the person, once people were
 * mentioned.
 */
export class Scope {
  private current: Entity | null = null;

  /** @param entities of rows mentioned so far; grows while the prompt is read */
  constructor(
    private readonly reading: Reading,
    private readonly spans: readonly Span[],
    private readonly entities: readonly Entity[],
  ) {}

  /**
   * Reads a cue such as "at", "of" or "living in".
   * @param cue folded words of the cue
   * @param index of the cue's span
   */
  readCue(cue: string, of: Entity, index: number): void {
    if (of === 'person' || !WEAK_SCOPES.has(cue) || this.isCompanyAhead(index + 1)) this.current = of;
  }

  /** Reads a noun. "CTOs of companies in …": a company after people starts the company's scope. */
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
   * Decides whether a field is the department of a person or the industry of a company.
   * @param index of the field's span
   * @returns null when it is not an industry and no person is near who could work in it
   */
  ofField({ industryIds }: MeaningOf<'field'>, index: number): Entity | null {
    const next = this.spans[index + 1]?.meaning;
    const noun = next?.type === 'entity' ? next.entity : null;
    if (this.hasPerson() && this.current !== 'company' && noun !== 'company') return 'person';
    if (industryIds.length > 0) return 'company';
    return noun === 'person' ? 'person' : null;
  }

  /** True after "at" and similar words: a following department is not that of the person before. */
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

  /** Returns whether a break or a preposition separates two spans, so that they are not one noun phrase. */
  private hasGap(from: number, to: number): boolean {
    return this.reading.tokens
      .slice(from, to)
      .some(
        ({ kind, folded }) =>
          kind === 'break' || /^(in|with|that|which|who|on|to|by|based|whose|near)$/.test(folded),
      );
  }
}

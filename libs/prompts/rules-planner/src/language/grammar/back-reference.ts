import type { Draft } from '../draft.js';
import type { Span } from '../meaning.js';
import type { Reading } from '../recogniser.js';
import type { Wording } from './wording.js';

/** References to rows that this prompt does not describe itself. */
export class BackReference {
  constructor(
    private readonly reading: Reading,
    private readonly spans: readonly Span[],
    private readonly wording: Wording,
    private readonly draft: Draft,
  ) {}

  /** Reads "these companies", which refers to the rows of the prompt itself if it has described any. */
  readFollowUp({ start, end }: Span, index: number): void {
    this.draft.isFollowUp = true;
    const noun = this.spans[index + 1];
    const isDemonstrative = ['these', 'those', 'same'].includes(this.reading.words[end - 1] ?? '');
    if (!isDemonstrative || noun?.start !== end || noun.meaning.type !== 'entity') return;
    const { entity } = noun.meaning;
    const isOwn = this.draft.statements.some(({ scope }) => scope === entity);
    if (!isOwn) this.draft.backReference ??= { entity, text: this.wording.textOf({ start, end: noun.end }) };
  }

  /** Reads "Their CEOs" when the prompt has not described anybody yet. */
  readTheir({ start }: Span): void {
    const isFirst = this.draft.statements.length === 0 && this.draft.entities.length === 0;
    if (isFirst && this.reading.words[start - 1] === 'their')
      this.draft.backReference ??= {
        entity: 'company',
        text: this.wording.textOf({ start: start - 1, end: start }),
      };
  }
}

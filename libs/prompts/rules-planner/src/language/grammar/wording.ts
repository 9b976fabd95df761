import { fragmentsOf } from '../fragments.js';
import type { Span } from '../meaning.js';
import type { Token } from '../token.js';

/** Tokens from `start` up to `end`, end excluded. */
type Stretch = Pick<Span, 'start' | 'end'>;

/** Words of a prompt as written, and those that were not understood. A lost word remains lost. */
export class Wording {
  private readonly lost = new Set<number>();

  constructor(
    private readonly prompt: string,
    private readonly tokens: readonly Token[],
  ) {}

  textOf({ start, end }: Stretch): string {
    return this.prompt.slice(this.tokens[start]?.start, this.tokens[end - 1]?.end);
  }

  lose({ start, end }: Stretch): void {
    for (let index = start; index < end; index += 1) this.lost.add(index);
  }

  /** @returns the text from the first to the last word lost at or after a token; null when none was. */
  lostSince(start: number): string | null {
    const lost = [...this.lost].filter((index) => index >= start);
    return lost.length === 0 ? null : this.textOf({ start: Math.min(...lost), end: Math.max(...lost) + 1 });
  }

  /** @param spans all spans of the prompt in order */
  lostFragments(spans: readonly Span[]): string[] {
    return fragmentsOf(this.prompt, this.tokens, this.lost, spans);
  }
}

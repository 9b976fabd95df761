import type { ValueLimits } from '@quarry/dto';

/** Part of a field's schema that its proof needs. */
export interface ProvableSchema extends ValueLimits {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
}

/** Page that a run has read, as it is stored. */
export interface ProofPage {
  readonly id: string;
  readonly url: string;
  readonly text: string;
  /** Offset of the lines with structured data, each `place: value`; the length of the text when there are none. */
  readonly statedFrom: number;
}

/** Claim that a field has a value, with a quote from a page. */
export interface Claim {
  /** JSON pointer. */
  readonly field: string;
  readonly value: unknown;
  readonly pageId: string;
  readonly quote: string;
}

/** Reason why a claim is not published. */
export type Refusal =
  'page_not_read' | 'quote_too_short' | 'quote_not_in_page' | 'value_not_in_quote' | 'value_not_in_schema';

export type Verdict =
  | {
      readonly kind: 'proved';
      readonly range: { readonly from: number; readonly to: number };
      readonly excerpt: string;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Part of a field's schema that its proof needs. */
export interface ProvableSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
}

/** A page that a run has read, as it is kept. */
export interface ProofPage {
  readonly id: string;
  readonly url: string;
  readonly text: string;
  /** Start of the lines with structured data, each `place: value`; the length of the text where it has none. */
  readonly statedFrom: number;
}

/** That a field has a value, and where a page says so. */
export interface Claim {
  /** JSON pointer. */
  readonly field: string;
  readonly value: unknown;
  readonly pageId: string;
  readonly quote: string;
}

/** Why a claim is not published. */
export type Refusal =
  'page_not_read' | 'quote_too_short' | 'quote_not_in_page' | 'value_not_in_quote' | 'value_not_in_schema';

export type Verdict =
  | {
      readonly kind: 'proved';
      readonly range: { readonly from: number; readonly to: number };
      readonly excerpt: string;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

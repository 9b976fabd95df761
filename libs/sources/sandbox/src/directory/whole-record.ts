import type { CompanyRecord, PersonRecord } from '@quarry/directory';

/** Fields that may be unknown in the fictional world as well. */
type Unknown = 'state' | 'funding_stage' | 'funding_amount_usd';
type Whole<T> = {
  readonly [Key in keyof T]: Key extends Unknown ? T[Key] : NonNullable<T[Key]>;
};

/** A company of which everything is known but {@link Unknown}. */
export type WholeCompany = Whole<CompanyRecord>;
/** A person of whom everything is known but {@link Unknown}. */
export type WholePerson = Whole<Omit<PersonRecord, 'company'>> & { readonly company: WholeCompany };

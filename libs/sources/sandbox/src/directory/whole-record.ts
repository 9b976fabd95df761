import type { CompanyRecord, PersonRecord } from '@quarry/directory';

/** Fields that may be null in the sandbox as well. */
type Unknown = 'state' | 'funding_stage' | 'funding_amount_usd';
type Whole<T> = { readonly [Key in keyof T]: Key extends Unknown ? T[Key] : NonNullable<T[Key]> };

/** Company with all fields filled except {@link Unknown}. */
export type WholeCompany = Whole<CompanyRecord>;
/** Person with all fields filled except {@link Unknown}. */
export type WholePerson = Whole<Omit<PersonRecord, 'company'>> & { readonly company: WholeCompany };

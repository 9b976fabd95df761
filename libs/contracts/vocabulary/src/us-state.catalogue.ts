/** State of the United States, or the District of Columbia. */
export interface UsState {
  /** Two-letter postal code. */
  readonly code: string;
  readonly name: string;
  readonly aliases: readonly string[];
}

const NAMES = `AL Alabama|AK Alaska|AZ Arizona|AR Arkansas|CA California|CO Colorado|CT Connecticut|DE Delaware|
FL Florida|GA Georgia|HI Hawaii|ID Idaho|IL Illinois|IN Indiana|IA Iowa|KS Kansas|KY Kentucky|LA Louisiana|ME Maine|
MD Maryland|MA Massachusetts|MI Michigan|MN Minnesota|MS Mississippi|MO Missouri|MT Montana|NE Nebraska|NV Nevada|
NH New Hampshire|NJ New Jersey|NM New Mexico|NY New York|NC North Carolina|ND North Dakota|OH Ohio|OK Oklahoma|
OR Oregon|PA Pennsylvania|RI Rhode Island|SC South Carolina|SD South Dakota|TN Tennessee|TX Texas|UT Utah|VT Vermont|
VA Virginia|WA Washington|WV West Virginia|WI Wisconsin|WY Wyoming|DC District of Columbia`;

const ALIASES: Readonly<Record<string, string[]>> = {
  NY: ['new york state', 'state of new york', 'upstate new york'],
  WA: ['washington state'],
  DC: ['d.c.'],
  CA: ['californian'],
  TX: ['texan'],
};

export const US_STATES: readonly UsState[] = NAMES.split('|').map((entry) => {
  const text = entry.trim();
  const code = text.slice(0, 2);
  return { code, name: text.slice(3), aliases: ALIASES[code] ?? [] };
});

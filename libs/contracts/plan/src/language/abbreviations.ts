/** Short forms that people type, and plurals of words that stand for companies, each with the folded word that it is read as. */
export const ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ ppl: 'people', cos: 'companies', org: 'organization', orgs: 'organizations', biz: 'business' },
    ...{ emp: 'employee', emps: 'employees', mgr: 'manager', mgrs: 'managers', mktg: 'marketing' },
    ...{ eng: 'engineering', mfg: 'manufacturing', govt: 'government', intl: 'international' },
    ...{ pls: 'please', plz: 'please', thx: 'thanks', yr: 'year', yrs: 'years' },
    ...{ excl: 'excluding', incl: 'including' },
    ...{ fintechs: 'fintech', edtechs: 'edtech', biotechs: 'biotech', insurtechs: 'insurtech' },
    ...{ proptechs: 'proptech', healthtechs: 'healthtech', medtechs: 'medtech', cleantechs: 'cleantech' },
    ...{ agritechs: 'agritech', deeptechs: 'deeptech', regtechs: 'regtech', adtechs: 'adtech' },
    ...{ martechs: 'martech', hrtechs: 'hrtech', legaltechs: 'legaltech', foodtechs: 'foodtech' },
  }),
);

/** Short forms that a mark is part of. */
export const MARKED_ABBREVIATIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({ 'w/o': 'without', 'w/': 'with', 'excl.': 'excluding', 'incl.': 'including' }),
);

import type { DepartmentId, SeniorityId } from '@quarry/vocabulary';

/**
 * Share of the fictional companies per country; the sum is about a hundred. Modelled on the ranking of national economies
 * by gross domestic product, with small ones raised so that every country has some companies.
 */
export const COUNTRY_WEIGHTS: Readonly<Record<string, number>> = {
  US: 30,
  GB: 8,
  DE: 7.5,
  FR: 5,
  CA: 4,
  IN: 5,
  CN: 5,
  JP: 3.5,
  BR: 2.4,
  AU: 2.8,
  NL: 2.8,
  ES: 2.6,
  IT: 2.6,
  SE: 2,
  CH: 2,
  PL: 1.5,
  IE: 1.3,
  DK: 1.2,
  NO: 1,
  FI: 0.9,
  BE: 1.1,
  AT: 1,
  PT: 0.8,
  CZ: 0.8,
  RO: 0.6,
  GR: 0.5,
  IL: 1.3,
  AE: 0.9,
  SA: 0.6,
  TR: 0.8,
  SG: 1.2,
  KR: 1.6,
  ID: 0.9,
  MX: 1.2,
  AR: 0.7,
  CO: 0.5,
  ZA: 0.7,
  NG: 0.5,
  KE: 0.4,
  NZ: 0.6,
};

/** Relative number of companies per industry. Services and trade outnumber heavy industry, as in real registers. */
export const INDUSTRY_WEIGHTS: Readonly<Record<string, number>> = {
  software: 8,
  fintech: 3.5,
  insurtech: 1,
  cybersecurity: 1.8,
  artificial_intelligence: 2.4,
  it_services: 4,
  hardware: 1.5,
  semiconductors: 1,
  telecommunications: 1.4,
  gaming: 1.3,
  ecommerce: 3.2,
  edtech: 1.4,
  proptech: 1,
  healthtech: 2,
  hospitals: 2,
  biotechnology: 2,
  pharmaceuticals: 1.5,
  medical_devices: 1.7,
  banking: 1.8,
  insurance: 1.8,
  investment: 1.8,
  real_estate: 3,
  construction: 3.5,
  architecture: 1.8,
  industrial_machinery: 3.5,
  automotive: 2,
  aerospace: 1.2,
  chemicals: 1.5,
  food_beverage: 2.8,
  consumer_goods: 2.4,
  fashion: 1.8,
  retail: 4,
  hospitality: 3,
  travel: 1.6,
  logistics: 3,
  energy: 1.6,
  clean_energy: 1.8,
  agriculture: 1.4,
  mining: 1,
  marketing_agency: 3.4,
  media: 2.2,
  consulting: 3,
  legal: 2,
  accounting: 1.8,
  staffing: 1.8,
  education: 2,
  nonprofit: 1.6,
};

/**
 * Share of companies per headcount band: most companies are small, few are large. Within a band, headcounts are uniform on
 * a logarithmic scale.
 */
export const HEADCOUNT_BANDS: ReadonlyArray<readonly [readonly [number, number], number]> = [
  [[1, 10], 34],
  [[11, 50], 29],
  [[51, 200], 19],
  [[201, 1000], 11],
  [[1001, 5000], 5],
  [[5001, 50_000], 2],
];

/** Relative number of people per level; senior levels are overrepresented because people search for them. */
export const SENIORITY_WEIGHTS: ReadonlyArray<readonly [SeniorityId, number]> = [
  ['c_level', 17],
  ['vp', 13],
  ['head', 13],
  ['director', 14],
  ['manager', 17],
  ['senior', 13],
  ['entry', 10],
  ['intern', 3],
];

export const DEPARTMENT_WEIGHTS: ReadonlyArray<readonly [DepartmentId, number]> = [
  ['sales', 15],
  ['marketing', 11],
  ['engineering', 16],
  ['product', 7],
  ['design', 4],
  ['data', 5],
  ['finance', 8],
  ['people', 8],
  ['legal', 3],
  ['operations', 9],
  ['customer_success', 6],
  ['it', 5],
  ['security', 3],
  ['procurement', 3],
  ['research', 4],
];

/** Industries whose companies may have venture capital, and therefore a funding stage. */
export const VENTURE_INDUSTRIES: ReadonlySet<string> = new Set(
  'software fintech insurtech cybersecurity artificial_intelligence gaming ecommerce edtech proptech healthtech biotechnology medical_devices clean_energy semiconductors aerospace hardware'.split(
    ' ',
  ),
);

/** Industries that mostly sell to consumers. */
export const CONSUMER_INDUSTRIES: ReadonlySet<string> = new Set(
  'retail ecommerce fashion hospitality travel gaming media food_beverage consumer_goods hospitals education edtech real_estate'.split(
    ' ',
  ),
);

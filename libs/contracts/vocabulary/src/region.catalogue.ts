/** Region that consists of whole countries. */
export interface Region {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  /** ISO 3166-1 alpha-2 codes. */
  readonly countryCodes: readonly string[];
}

const codes = (text: string): string[] => text.split(' ');
const NORDICS = codes('SE DK NO FI IS');
const DACH = codes('DE AT CH');
const BENELUX = codes('NL BE LU');
const IBERIA = codes('ES PT');
/** Members since 2020. Source: european-union.europa.eu, country profiles. */
const EU = codes('AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE');
const BALTICS = codes('EE LV LT');
const EUROPE = [...EU, ...codes('GB CH NO IS RS UA RU')];
const GULF = codes('AE SA QA KW BH');
const MIDDLE_EAST = [...GULF, ...codes('IL TR JO LB')];
const NORTH_AFRICA = codes('EG MA TN');
const AFRICA = [...codes('ZA NG KE GH ET'), ...NORTH_AFRICA];
const SOUTHEAST_ASIA = codes('SG ID VN TH MY PH');
const ASIA = [...codes('IN CN JP KR TW HK PK BD LK'), ...SOUTHEAST_ASIA];
const OCEANIA = codes('AU NZ');
const SOUTH_AMERICA = codes('BR AR CO CL PE UY EC');
const LATIN_AMERICA = [...SOUTH_AMERICA, ...codes('MX CR PA')];

const region = (id: string, name: string, aliases: string[], countryCodes: string[]): Region => ({
  id,
  name,
  aliases,
  countryCodes,
});

/** Regions by the names that sales teams use. */
export const REGIONS: readonly Region[] = [
  region('europe', 'Europe', ['european', 'the continent'], EUROPE),
  region('eu', 'European Union', ['eu', 'the eu', 'the european union'], EU),
  region('dach', 'DACH', ['dach region', 'german speaking countries', 'german speaking'], DACH),
  region(
    'nordics',
    'Nordics',
    ['nordic', 'scandinavia', 'scandinavian', 'nordic countries', 'the nordics'],
    NORDICS,
  ),
  region('benelux', 'Benelux', ['the benelux'], BENELUX),
  region('iberia', 'Iberia', ['iberian', 'iberian peninsula'], IBERIA),
  region('baltics', 'Baltics', ['baltic', 'baltic states'], BALTICS),
  region(
    'western_europe',
    'Western Europe',
    ['western european'],
    codes('GB IE FR DE NL BE LU AT CH ES PT IT'),
  ),
  region(
    'eastern_europe',
    'Eastern Europe',
    ['eastern european', 'cee', 'central and eastern europe'],
    codes('PL CZ RO HU BG SK SI HR RS UA EE LV LT'),
  ),
  region('southern_europe', 'Southern Europe', ['southern european'], codes('ES PT IT GR MT CY')),
  region('north_america', 'North America', ['north american', 'northern america'], codes('US CA')),
  region('south_america', 'South America', ['south american'], SOUTH_AMERICA),
  region('latin_america', 'Latin America', ['latam', 'latin american', 'lat am'], LATIN_AMERICA),
  region('americas', 'Americas', ['the americas'], [...codes('US CA'), ...LATIN_AMERICA]),
  region('apac', 'APAC', ['asia pacific', 'asia and pacific', 'asia-pacific'], [...ASIA, ...OCEANIA]),
  region('asia', 'Asia', ['asian'], ASIA),
  region(
    'southeast_asia',
    'Southeast Asia',
    ['south east asia', 'southeast asian', 'sea region'],
    SOUTHEAST_ASIA,
  ),
  region('middle_east', 'Middle East', ['the middle east', 'middle eastern'], MIDDLE_EAST),
  region('gulf', 'Gulf states', ['gcc', 'the gulf', 'gulf countries'], GULF),
  region('mena', 'MENA', ['middle east and north africa'], [...MIDDLE_EAST, ...NORTH_AFRICA]),
  region('emea', 'EMEA', ['europe middle east and africa'], [...EUROPE, ...MIDDLE_EAST, ...AFRICA]),
  region('africa', 'Africa', ['african'], AFRICA),
  region('oceania', 'Oceania', ['australasia', 'anz', 'australia and new zealand'], OCEANIA),
];

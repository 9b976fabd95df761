/** Country with its ISO 3166-1 alpha-2 code. */
export interface Country {
  readonly code: string;
  readonly name: string;
  /** Other names and abbreviations. Upper-case ones of two or three letters count only in upper case. */
  readonly aliases: readonly string[];
  /** Adjectives and names of peoples: "German", "Germans". */
  readonly demonyms: readonly string[];
}

const country = (code: string, name: string, demonyms: string[], aliases: string[] = []): Country => ({
  code,
  name,
  aliases,
  demonyms,
});

/** The forty countries in which the sandbox directory has companies, including the largest economies. */
export const COUNTRIES: readonly Country[] = [
  country(
    'US',
    'United States',
    ['American', 'Americans'],
    [
      'US',
      'the us',
      'usa',
      'u.s.a.',
      'united states of america',
      'the states',
      'us based',
      'america',
      'in us',
    ],
  ),
  country('GB', 'United Kingdom', ['British', 'Briton'], ['uk', 'u.k.', 'GB', 'great britain', 'britain']),
  country('DE', 'Germany', ['German'], ['deutschland']),
  country('FR', 'France', ['French', 'Frenchmen']),
  country('CA', 'Canada', ['Canadian']),
  country('IN', 'India', ['Indian']),
  country('CN', 'China', ['Chinese'], ['prc', 'mainland china']),
  country('JP', 'Japan', ['Japanese']),
  country('BR', 'Brazil', ['Brazilian'], ['brasil']),
  country('AU', 'Australia', ['Australian', 'Aussie']),
  country('NL', 'Netherlands', ['Dutch'], ['the netherlands', 'holland']),
  country('ES', 'Spain', ['Spanish', 'Spaniard']),
  country('IT', 'Italy', ['Italian']),
  country('SE', 'Sweden', ['Swedish', 'Swede']),
  country('CH', 'Switzerland', ['Swiss']),
  country('PL', 'Poland', ['Polish']),
  country('IE', 'Ireland', ['Irish'], ['republic of ireland']),
  country('DK', 'Denmark', ['Danish', 'Dane']),
  country('NO', 'Norway', ['Norwegian']),
  country('FI', 'Finland', ['Finnish', 'Finn']),
  country('BE', 'Belgium', ['Belgian']),
  country('AT', 'Austria', ['Austrian']),
  country('PT', 'Portugal', ['Portuguese']),
  country('CZ', 'Czech Republic', ['Czech'], ['czechia', 'the czech republic']),
  country('RO', 'Romania', ['Romanian']),
  country('GR', 'Greece', ['Greek']),
  country('IL', 'Israel', ['Israeli']),
  country(
    'AE',
    'United Arab Emirates',
    ['Emirati'],
    ['uae', 'u.a.e.', 'emirates', 'the emirates', 'the uae'],
  ),
  country('SA', 'Saudi Arabia', ['Saudi', 'Saudi Arabian'], ['ksa']),
  country('TR', 'Turkey', ['Turkish'], ['turkiye']),
  country('SG', 'Singapore', ['Singaporean']),
  country('KR', 'South Korea', ['Korean', 'South Korean'], ['korea', 'republic of korea']),
  country('ID', 'Indonesia', ['Indonesian']),
  country('MX', 'Mexico', ['Mexican']),
  country('AR', 'Argentina', ['Argentinian', 'Argentine']),
  country('CO', 'Colombia', ['Colombian']),
  country('ZA', 'South Africa', ['South African']),
  country('NG', 'Nigeria', ['Nigerian']),
  country('KE', 'Kenya', ['Kenyan']),
  country('NZ', 'New Zealand', ['Kiwi', 'New Zealander']),
];

/**
 * Countries that a prompt or an imported table may name although the sandbox has no records there: understanding the word
 * and finding nothing is correct; ignoring it would answer a different question.
 */
export const OTHER_COUNTRIES: readonly Country[] = [
  country('HU', 'Hungary', ['Hungarian']),
  country('LU', 'Luxembourg', ['Luxembourgish']),
  country('EE', 'Estonia', ['Estonian']),
  country('LV', 'Latvia', ['Latvian']),
  country('LT', 'Lithuania', ['Lithuanian']),
  country('BG', 'Bulgaria', ['Bulgarian']),
  country('HR', 'Croatia', ['Croatian', 'Croat']),
  country('SK', 'Slovakia', ['Slovak', 'Slovakian']),
  country('SI', 'Slovenia', ['Slovenian']),
  country('RS', 'Serbia', ['Serbian']),
  country('UA', 'Ukraine', ['Ukrainian']),
  country('RU', 'Russia', ['Russian'], ['russian federation']),
  country('IS', 'Iceland', ['Icelandic']),
  country('CY', 'Cyprus', ['Cypriot']),
  country('MT', 'Malta', ['Maltese']),
  country('EG', 'Egypt', ['Egyptian']),
  country('MA', 'Morocco', ['Moroccan']),
  country('TN', 'Tunisia', ['Tunisian']),
  country('GH', 'Ghana', ['Ghanaian']),
  country('ET', 'Ethiopia', ['Ethiopian']),
  country('CL', 'Chile', ['Chilean']),
  country('PE', 'Peru', ['Peruvian']),
  country('UY', 'Uruguay', ['Uruguayan']),
  country('EC', 'Ecuador', ['Ecuadorian']),
  country('VN', 'Vietnam', ['Vietnamese']),
  country('TH', 'Thailand', ['Thai']),
  country('MY', 'Malaysia', ['Malaysian']),
  country('PH', 'Philippines', ['Filipino'], ['the philippines']),
  country('TW', 'Taiwan', ['Taiwanese']),
  country('HK', 'Hong Kong', []),
  country('PK', 'Pakistan', ['Pakistani']),
  country('BD', 'Bangladesh', ['Bangladeshi']),
  country('LK', 'Sri Lanka', ['Sri Lankan']),
  country('QA', 'Qatar', ['Qatari']),
  country('KW', 'Kuwait', ['Kuwaiti']),
  country('BH', 'Bahrain', ['Bahraini']),
  country('JO', 'Jordan', ['Jordanian']),
  country('LB', 'Lebanon', ['Lebanese']),
  country('BM', 'Bermuda', ['Bermudian']),
  country('CR', 'Costa Rica', ['Costa Rican']),
  country('PA', 'Panama', ['Panamanian']),
];

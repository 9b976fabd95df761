/** City of the directory. Within a country the list is ordered by importance for business, largest first. */
export interface City {
  readonly id: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly countryCode: string;
  /** State, province or region as in an address; null where addresses have none. */
  readonly state: string | null;
}

const ALIASES: Readonly<Record<string, string[]>> = {
  'New York': ['new york city', 'nyc', 'manhattan'],
  'San Francisco': ['sf', 'bay area', 'san francisco bay area', 'the bay area', 'silicon valley'],
  'Los Angeles': ['la area', 'l.a.'],
  Washington: ['washington dc', 'washington d.c.'],
  Philadelphia: ['philly'],
  Munich: ['münchen', 'muenchen'],
  Cologne: ['köln', 'koeln'],
  Milan: ['milano'],
  Rome: ['roma'],
  Copenhagen: ['københavn'],
  Prague: ['praha'],
  Vienna: ['wien'],
  Lisbon: ['lisboa'],
  Brussels: ['bruxelles', 'brussel'],
  Warsaw: ['warszawa'],
  Geneva: ['genève'],
  Bengaluru: ['bangalore'],
  Mumbai: ['bombay'],
  'Tel Aviv': ['tel aviv yafo'],
  'The Hague': ['den haag'],
  'Mexico City': ['cdmx', 'ciudad de mexico'],
  Bogota: ['bogotá'],
  'Sao Paulo': ['são paulo'],
  Gothenburg: ['göteborg'],
};

/** Cities as `country: city/state, city/state …`; a city without a state has no slash. */
const PLACES: ReadonlyArray<readonly [string, string]> = [
  [
    'US',
    'New York/New York, San Francisco/California, Los Angeles/California, Chicago/Illinois, Boston/Massachusetts, Houston/Texas, Dallas/Texas, Seattle/Washington, Austin/Texas, Atlanta/Georgia, Washington/District of Columbia, Denver/Colorado, Miami/Florida, Philadelphia/Pennsylvania, San Diego/California, Minneapolis/Minnesota, Phoenix/Arizona, Charlotte/North Carolina, Portland/Oregon, Detroit/Michigan, Nashville/Tennessee, Salt Lake City/Utah, Columbus/Ohio, Raleigh/North Carolina',
  ],
  [
    'GB',
    'London/England, Manchester/England, Birmingham/England, Edinburgh/Scotland, Bristol/England, Leeds/England',
  ],
  [
    'DE',
    'Berlin/Berlin, Munich/Bavaria, Hamburg/Hamburg, Frankfurt/Hesse, Cologne/North Rhine-Westphalia, Stuttgart/Baden-Württemberg',
  ],
  [
    'FR',
    'Paris/Île-de-France, Lyon/Auvergne-Rhône-Alpes, Marseille/Provence-Alpes-Côte d’Azur, Toulouse/Occitanie',
  ],
  ['CA', 'Toronto/Ontario, Vancouver/British Columbia, Montreal/Quebec, Calgary/Alberta'],
  ['IN', 'Bengaluru/Karnataka, Mumbai/Maharashtra, Delhi/Delhi, Hyderabad/Telangana'],
  ['CN', 'Shanghai/Shanghai, Beijing/Beijing, Shenzhen/Guangdong, Guangzhou/Guangdong'],
  ['JP', 'Tokyo/Tokyo, Osaka/Osaka'],
  ['BR', 'Sao Paulo/São Paulo, Rio de Janeiro/Rio de Janeiro'],
  ['AU', 'Sydney/New South Wales, Melbourne/Victoria, Brisbane/Queensland'],
  ['NL', 'Amsterdam/North Holland, Rotterdam/South Holland, The Hague/South Holland'],
  ['ES', 'Madrid/Madrid, Barcelona/Catalonia, Valencia/Valencia'],
  ['IT', 'Milan/Lombardy, Rome/Lazio'],
  ['SE', 'Stockholm/Stockholm County, Gothenburg/Västra Götaland'],
  ['CH', 'Zurich/Zurich, Geneva/Geneva'],
  ['PL', 'Warsaw/Masovia, Krakow/Lesser Poland'],
  ['IE', 'Dublin, Cork'],
  ['DK', 'Copenhagen'],
  ['NO', 'Oslo'],
  ['FI', 'Helsinki'],
  ['BE', 'Brussels, Antwerp'],
  ['AT', 'Vienna'],
  ['PT', 'Lisbon, Porto'],
  ['CZ', 'Prague'],
  ['RO', 'Bucharest'],
  ['GR', 'Athens'],
  ['IL', 'Tel Aviv'],
  ['AE', 'Dubai'],
  ['SA', 'Riyadh'],
  ['TR', 'Istanbul'],
  ['SG', 'Singapore'],
  ['KR', 'Seoul'],
  ['ID', 'Jakarta'],
  ['MX', 'Mexico City'],
  ['AR', 'Buenos Aires'],
  ['CO', 'Bogota'],
  ['ZA', 'Johannesburg/Gauteng'],
  ['NG', 'Lagos/Lagos'],
  ['KE', 'Nairobi'],
  ['NZ', 'Auckland'],
];

/** One hundred cities in the forty countries of the directory. */
export const CITIES: readonly City[] = PLACES.flatMap(([countryCode, list]) =>
  list.split(', ').map((entry) => {
    const [name = '', state] = entry.split('/');
    const id = `${countryCode}-${name.toLowerCase().replaceAll(' ', '-')}`;
    return { id, name, aliases: ALIASES[name] ?? [], countryCode, state: state ?? null };
  }),
);

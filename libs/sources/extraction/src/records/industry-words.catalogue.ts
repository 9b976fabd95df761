/**
 * Names of LinkedIn's industries, old and new, and of Crunchbase's categories, which are used in files of companies, by the
 * industry of the vocabulary that contains them. A word that fits none well ("research", "military") is omitted: it is
 * stored as text. Words that are in the vocabulary itself are not repeated.
 */
const WORDS: Readonly<Record<string, string>> = {
  software: `computer software | internet software | desktop computing software products | mobile apps | apps | crm
    | information technology and software | software engineering | web development | developer tools | paas`,
  fintech: 'financial technology fintech | mobile payments | cryptocurrency | blockchain | bitcoin | lending',
  cybersecurity:
    'computer & network security | computer and network security | network security | cloud security',
  artificial_intelligence: 'natural language processing | computer vision | robotics and ai | deep learning',
  it_services: `information technology and services | information technology & services | it services and it consulting
    | it system custom software development | outsourcing/offshoring | information services | data processing
    | computer networking | computer networking products | it management | it infrastructure`,
  hardware: `computer hardware manufacturing | electrical/electronic manufacturing | electrical & electronic manufacturing
    | appliances electrical and electronics manufacturing | computers and electronics manufacturing | wearables`,
  semiconductors: 'semiconductor manufacturing | semiconductors | nanotechnology',
  telecommunications: 'wireless | wireless services | telecommunications carriers',
  gaming: 'computer games | mobile games | online games | computer games industry | esports',
  ecommerce:
    'online and mail order retail | internet marketplace platforms | online portals | e commerce platforms',
  edtech: 'e learning providers | e-learning providers',
  healthtech: 'mhealth | electronic health record ehr',
  hospitals: `hospital & health care | hospital and health care | hospitals and health care | medical practices
    | mental health care | individual & family services | individual and family services | health wellness & fitness
    | veterinary | veterinary services | alternative medicine | dental | wellness and fitness services`,
  biotechnology: 'biotechnology research',
  pharmaceuticals: 'pharmaceutical manufacturing',
  medical_devices: 'medical equipment manufacturing | medical devices',
  insurance: 'insurance agencies and brokerages | health insurance | auto insurance',
  investment: `venture capital & private equity | venture capital and private equity | venture capital and private equity principals
    | investment banking | capital markets | investment advice | angel investment | impact investing`,
  real_estate:
    'commercial real estate | leasing real estate | leasing non-residential real estate | rental property',
  construction:
    'building materials | glass ceramics & concrete | civil construction | home improvement | building construction',
  architecture:
    'architecture & planning | architecture and planning | civil engineering | design | engineering services',
  industrial_machinery: `machinery manufacturing | mechanical or industrial engineering | industrial automation
    | automation machinery manufacturing | railroad manufacture | packaging and containers | packaging & containers
    | industrial machinery manufacturing | shipbuilding | robotics | industrial manufacturing | 3d printing`,
  automotive: 'motor vehicle manufacturing | electric vehicle | autonomous vehicles',
  aerospace: `aviation & aerospace | aviation and aerospace | aviation and aerospace component manufacturing | defense & space
    | defense and space manufacturing | airlines/aviation manufacturing`,
  chemicals:
    'chemical manufacturing | plastics manufacturing | paper & forest products | paper and forest product manufacturing',
  food_beverage: `food production | food & beverages | food and beverages | food and beverage services | wine & spirits
    | wine and spirits | dairy | beverage manufacturing | food and beverage manufacturing | tobacco`,
  consumer_goods: `furniture | sporting goods | consumer goods | personal care product manufacturing | business supplies & equipment
    | furniture and home furnishings manufacturing | arts & crafts | arts and crafts`,
  fashion:
    'apparel & fashion | apparel and fashion | textiles | luxury goods & jewelry | luxury goods and jewelry | jewelry',
  retail: 'supermarkets | wholesale | retail apparel and fashion | retail groceries | shopping',
  hospitality:
    'restaurants | food and beverage retail | hospitality | events services | gambling & casinos | gambling and casinos',
  travel:
    'leisure travel & tourism | leisure, travel & tourism | travel arrangements | airlines/aviation | airlines and aviation',
  logistics: `transportation/trucking/railroad | logistics & supply chain | logistics and supply chain | package/freight delivery
    | package and freight delivery | truck transportation | transportation logistics supply chain and storage | maritime
    | maritime transportation | freight and package transportation | delivery | import and export | import & export`,
  energy:
    'oil & energy | oil and energy | electric power generation | oil gas and mining | services for renewable energy | gas',
  clean_energy:
    'renewables & environment | renewables and environment | renewable energy semiconductor manufacturing | environmental services',
  agriculture: 'ranching | fishery | dairies | farming ranching forestry',
  mining: 'mining & metals | primary metal manufacturing',
  marketing_agency: `marketing & advertising | marketing services | advertising services | public relations and communications
    | public relations & communications | market research | graphic design | digital marketing`,
  media: `media production | online media | broadcast media | entertainment providers | newspapers | motion pictures and film
    | motion pictures & film | book and periodical publishing | music | performing arts | photography | animation
    | writing and editing | writing & editing | printing | internet publishing | video`,
  consulting:
    'business consulting and services | professional training & coaching | professional training and coaching',
  legal: 'law practice | legal services | alternative dispute resolution | judiciary',
  staffing: 'staffing and recruiting | human resources | human resources services',
  education: `education management | higher education | primary/secondary education | primary and secondary education
    | e learning | schools | libraries`,
  nonprofit: `non-profit organization management | nonprofit organization management | non profit organizations | philanthropy
    | fund-raising | civic & social organization | civic and social organizations | religious institutions`,
};

/** @returns pairs of a name and the id of its industry */
export function industryWords(): Array<readonly [words: string, id: string]> {
  return Object.entries(WORDS).flatMap(([id, list]) =>
    list.split('|').map((words) => [words.trim(), id] as const),
  );
}

/**
 * Prefixes of codes of the United Kingdom's Standard Industrial Classification, which Companies House writes before its
 * words ("62012 - Business and domestic software development"), by industry; the longest matching prefix counts. Source: UK
 * SIC 2007, Office for National Statistics. A division that belongs to several industries is omitted.
 */
export const UK_SIC_PREFIXES: Readonly<Record<string, string>> = {
  '01': 'agriculture',
  '03': 'agriculture',
  '05': 'mining',
  '06': 'energy',
  '07': 'mining',
  '08': 'mining',
  '10': 'food_beverage',
  '11': 'food_beverage',
  '13': 'fashion',
  '14': 'fashion',
  '15': 'fashion',
  '20': 'chemicals',
  '21': 'pharmaceuticals',
  '24': 'mining',
  '26': 'hardware',
  '28': 'industrial_machinery',
  '29': 'automotive',
  '303': 'aerospace',
  '35': 'energy',
  '41': 'construction',
  '42': 'construction',
  '43': 'construction',
  '4791': 'ecommerce',
  '47': 'retail',
  '49': 'logistics',
  '50': 'logistics',
  '52': 'logistics',
  '53': 'logistics',
  '55': 'hospitality',
  '56': 'hospitality',
  '5821': 'gaming',
  '5829': 'software',
  '58': 'media',
  '59': 'media',
  '60': 'media',
  '61': 'telecommunications',
  '6201': 'software',
  '62': 'it_services',
  '63': 'it_services',
  '6419': 'banking',
  '643': 'investment',
  '65': 'insurance',
  '68': 'real_estate',
  '691': 'legal',
  '692': 'accounting',
  '7021': 'marketing_agency',
  '7022': 'consulting',
  '711': 'architecture',
  '7211': 'biotechnology',
  '73': 'marketing_agency',
  '78': 'staffing',
  '79': 'travel',
  '85': 'education',
  '86': 'hospitals',
};

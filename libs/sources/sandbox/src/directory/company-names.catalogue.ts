const words = (text: string): string[] => text.trim().split(/\s+/);

/** Prefixes and suffixes of invented names. They are combined freely, so no combination refers to a real company. */
export const NAME_STARTS = words(
  'Alt Arb Bel Bryn Cald Cor Dar Del El Fen Fjor Gal Gren Hal Hel Ister Jor Kal Kest Lan Lum Mar Mer Nord Nov Oak Or Pel Quil Ral Riv Sel Sol Tal Tern Ul Val Ver Wes Xan Yar Zel Aster Brum Cind Dun Ever Falk',
);
export const NAME_ENDINGS = words(
  'ando ara astra aven bridge brook dale ella en era field fort gate grove haven ia idian ium ix land leaf light line mark mere mont mora nex on ora path peak point port quest ra reach ridge rock sen stone tara tera via ville wick wind wood yard zen',
);

/** Words appended to the invented name, by industry; the name is also used without one. */
const NOUNS: Readonly<Record<string, string>> = {
  software: 'Software Cloud Systems Labs Apps Platform Suite',
  fintech: 'Pay Finance Capital Ledger Money Payments',
  insurtech: 'Cover Insure Protect Risk',
  cybersecurity: 'Security Shield Cyber Defence',
  artificial_intelligence: 'AI Intelligence Cognition Robotics',
  it_services: 'Consulting IT Solutions Integrations Services',
  hardware: 'Electronics Devices Hardware Instruments',
  semiconductors: 'Semiconductors Microsystems Silicon Photonics',
  telecommunications: 'Telecom Networks Mobile Fibre',
  gaming: 'Games Studios Interactive Play',
  ecommerce: 'Shop Market Store Direct',
  edtech: 'Learning Academy Classroom Campus',
  proptech: 'Spaces Living Estate Keys',
  healthtech: 'Health Care Clinic Vitals',
  hospitals: 'Hospital Clinics Medical Health',
  biotechnology: 'Bio Genomics Therapeutics Biosciences',
  pharmaceuticals: 'Pharma Pharmaceuticals Therapeutics Labs',
  medical_devices: 'Medical Devices Surgical Diagnostics',
  banking: 'Bank Savings Trust Bancorp',
  insurance: 'Insurance Assurance Mutual Underwriting',
  investment: 'Capital Partners Ventures Investments',
  real_estate: 'Properties Estates Realty Homes',
  construction: 'Construction Builders Contracting Works',
  architecture: 'Architects Design Engineering Planning',
  industrial_machinery: 'Machinery Industries Engineering Automation',
  automotive: 'Motors Automotive Mobility Drive',
  aerospace: 'Aerospace Aviation Defense Space',
  chemicals: 'Chemicals Polymers Materials Coatings',
  food_beverage: 'Foods Brewing Bakery Kitchen',
  consumer_goods: 'Brands Goods Home Care',
  fashion: 'Apparel Fashion Textiles Footwear',
  retail: 'Retail Stores Markets Outlet',
  hospitality: 'Hotels Restaurants Hospitality Resorts',
  travel: 'Travel Tours Voyages Journeys',
  logistics: 'Logistics Freight Shipping Transport',
  energy: 'Energy Power Petroleum Utilities',
  clean_energy: 'Solar Renewables Wind Green',
  agriculture: 'Farms Agri Harvest Seeds',
  mining: 'Mining Metals Minerals Steel',
  marketing_agency: 'Agency Media Creative Digital',
  media: 'Media Publishing Entertainment Pictures',
  consulting: 'Consulting Advisory Partners Strategy',
  legal: 'Law Legal Chambers Attorneys',
  accounting: 'Accounting Audit Tax Advisory',
  staffing: 'Staffing Talent Recruiting People',
  education: 'University School College Institute',
  nonprofit: 'Foundation Trust Aid Initiative',
};

/** @returns the words that companies of an industry append to their name */
export function companyNounsOf(industryId: string): readonly string[] {
  return words(NOUNS[industryId] ?? 'Group Company');
}

import { wordList, wordTable } from './word-table.js';

/** Industry. `id` is stable and used in filters; `name` is displayed. */
export interface Industry {
  readonly id: string;
  readonly name: string;
  /** Synonyms in the singular; plurals are derived. */
  readonly synonyms: readonly string[];
}

/** Word that covers several industries, such as "healthcare". */
export interface IndustryGroup {
  readonly name: string;
  readonly synonyms: readonly string[];
  readonly industryIds: readonly string[];
}

/** Industries of the vocabulary, about as fine-grained as sales teams distinguish them. */
export const INDUSTRIES: readonly Industry[] = wordTable(
  `
  software | Software & SaaS | saas, enterprise software, application software, software as a service, software vendor,
    software development, cloud software
  fintech | Fintech | fintech, financial technology, payments, neobank, payment provider
  insurtech | Insurtech | insurtech, insurance technology
  cybersecurity | Cybersecurity | cybersecurity, cyber security, infosec, it security
  artificial_intelligence | Artificial Intelligence | ai, artificial intelligence, machine learning, gen ai, generative ai, a.i.
  it_services | IT Services & Consulting | it services, it consulting, it company, it firm, it industry, system integrator,
    systems integrator, managed service provider, msp, information technology services
  hardware | Computer Hardware & Electronics | hardware, electronics, consumer electronics, computer hardware
  semiconductors | Semiconductors | semiconductor, chip maker, chipmaker, microchip
  telecommunications | Telecommunications | telecommunications, telecom, telco, wireless carrier
  gaming | Video Games | gaming, video game, game studio, gaming studio, games studio, game developer
  ecommerce | E-commerce | e-commerce, ecommerce, online retail, online retailer, online shop, online store, webshop
  edtech | Education Technology | edtech, education technology, educational technology, e-learning, elearning, online learning
  proptech | Property Technology | proptech, property technology, real estate technology
  healthtech | Health Technology | healthtech, health tech, health technology, digital health, medtech software, telemedicine
  hospitals | Hospitals & Clinics | hospital, clinic, hospitals and clinics, medical practice, health care provider,
    healthcare provider
  biotechnology | Biotechnology | biotech, biotechnology, life science, life sciences, genomics
  pharmaceuticals | Pharmaceuticals | pharmaceuticals, pharma, pharmaceutical, drug maker, drugmaker
  medical_devices | Medical Devices | medical device, medtech, medical technology, medical equipment, health care equipment
  banking | Banking | banking, bank, credit union, retail banking
  insurance | Insurance | insurance, insurer, insurance company, insurance carrier, insurance broker, reinsurance
  investment | Investment Management | investment management, asset management, asset manager, venture capital,
    venture capitalist, vc firm, private equity, hedge fund, investment firm, wealth management
  real_estate | Real Estate | real estate, property developer, property management, realty, realtor, estate agent,
    property company
  construction | Construction | construction, building contractor, general contractor, homebuilder, home builder,
    construction firm
  architecture | Architecture & Engineering | architecture, architecture firm, architect, civil engineering,
    engineering consultancy, engineering firm
  industrial_machinery | Industrial Machinery | industrial machinery, industrials, industrial, machinery, machine builder,
    mechanical engineering, industrial equipment, industrial automation
  automotive | Automotive | automotive, automobile, car maker, carmaker, auto parts, auto maker, automaker, car manufacturer,
    vehicle manufacturer
  aerospace | Aerospace & Defense | aerospace, aerospace and defense, aerospace & defense, aerospace and defence, defense,
    defence, aviation, space tech, spacetech, space technology
  chemicals | Chemicals | chemical, chemicals, specialty chemicals, plastics
  food_beverage | Food & Beverage | food and beverage, food & beverage, food, beverage, food producer, brewery, drinks, winery,
    f&b, food and drink
  consumer_goods | Consumer Goods | consumer goods, cpg, fmcg, consumer products, household products, cosmetics, beauty
  fashion | Fashion & Apparel | fashion, apparel, clothing, textile, footwear, luxury goods
  retail | Retail | retail, retailer, supermarket, grocery, grocer, brick and mortar
  hospitality | Hospitality & Restaurants | hospitality, hotel, restaurant, catering
  travel | Travel & Tourism | travel, tourism, travel agency, travel agencies, tour operator, airline
  logistics | Logistics & Transportation | logistics, transportation, freight, shipping, supply chain, trucking,
    freight forwarder, courier, 3pl, haulage, warehousing, transport
  energy | Oil, Gas & Energy | energy, oil and gas, oil & gas, oil, utilities, utility, power generation, energy company
  clean_energy | Renewable Energy & Climate Tech | clean energy, renewable energy, renewables, renewable, solar, wind energy,
    wind power, cleantech, clean tech, climate tech, climatetech, green energy, greentech, solar energy
  agriculture | Agriculture | agriculture, farming, agricultural, farm, agritech, agtech, agri
  mining | Mining & Metals | mining, metals, steel, mining and metals, mine
  marketing_agency | Marketing & Advertising | agency, marketing agency, advertising agency, ad agency, digital agency,
    creative agency, advertising, marketing and advertising, pr agency, seo agency, branding agency, design agency, adtech,
    martech, marketing technology
  media | Media & Entertainment | media, entertainment, publishing, publisher, broadcasting, film production, broadcaster,
    newspaper, music
  consulting | Management Consulting | consulting, consultancy, management consulting, consulting firm, strategy consulting,
    business consulting, management consultancy, consulting company
  legal | Law Firms & Legal Services | law firm, legal services, legal, law practice, law, legaltech, legal tech, solicitor
  accounting | Accounting | accounting, accountancy, accounting firm, tax advisory, bookkeeping, audit firm, accounting practice
  staffing | Staffing & Recruiting | staffing, recruiting, recruitment, staffing agency, recruitment agency, recruiting agency,
    recruiting firm, headhunter, executive search, hr tech, staffing firm, temp agency
  education | Education | education, university, school, college, higher education, training provider
  nonprofit | Non-profit Organisations | ngo, charity, nonprofit organization, non-profit organisation, foundation
`,
  (id, name, synonyms) => ({ id, name, synonyms: wordList(synonyms) }),
);

/** Words for several industries. A prompt with such a word means any of its members. */
export const INDUSTRY_GROUPS: readonly IndustryGroup[] = wordTable(
  `
  software | software, software company | software, cybersecurity, artificial_intelligence, fintech, insurtech, edtech,
    proptech, healthtech
  technology | tech, technology, high tech, information technology, digital | software, cybersecurity, artificial_intelligence,
    fintech, insurtech, edtech, proptech, healthtech, it_services, hardware, semiconductors, gaming, ecommerce,
    telecommunications
  deep tech | deep tech, deeptech | artificial_intelligence, semiconductors, biotechnology, aerospace
  healthcare | healthcare, health care, health, medical | hospitals, healthtech, biotechnology, pharmaceuticals, medical_devices
  life sciences | life sciences industry | biotechnology, pharmaceuticals
  financial services | financial services, finance, financial, financials, financial service, financial institution,
    bfsi | banking, insurance, investment, fintech, insurtech, accounting
  manufacturing | manufacturing, manufacturer, manufacturing industry | industrial_machinery, automotive, aerospace, chemicals,
    hardware, semiconductors, medical_devices, food_beverage, consumer_goods, fashion
  professional services | professional services, professional service, business services, advisory firm | consulting, legal,
    accounting, staffing, marketing_agency, architecture, it_services
  commerce | commerce, consumer | retail, ecommerce, fashion, consumer_goods
  property | property, built environment | real_estate, construction, proptech, architecture
  natural resources | natural resources, raw materials, materials | mining, chemicals, energy, agriculture
  leisure | leisure, leisure and hospitality | hospitality, travel, gaming
`,
  (name, synonyms, industryIds) => ({
    name,
    synonyms: wordList(synonyms),
    industryIds: wordList(industryIds),
  }),
);

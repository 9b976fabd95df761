import { wordList } from './word-table.js';

/** Value of a company attribute with a short fixed list of values. */
export interface Trait {
  readonly id: string;
  readonly name: string;
  readonly synonyms: readonly string[];
}

const trait = (id: string, name: string, ...synonyms: string[]): Trait => ({ id, name, synonyms });

/** Funding rounds, earliest first. */
export const FUNDING_STAGES: readonly Trait[] = [
  trait('bootstrapped', 'Bootstrapped', 'bootstrapped', 'self funded', 'self-financed', 'unfunded'),
  trait('pre_seed', 'Pre-seed', 'pre-seed', 'pre-seed stage', 'preseed', 'pre-seed funded'),
  trait('seed', 'Seed', 'seed', 'seed stage', 'seed-stage', 'seed funded', 'seed round', 'seed funding'),
  trait('series_a', 'Series A', 'series a', 'series a stage', 'series a funded', 'series a funding'),
  trait('series_b', 'Series B', 'series b', 'series b stage', 'series b funded', 'series b funding'),
  trait('series_c', 'Series C', 'series c', 'series c stage', 'series c funded', 'series c funding'),
  trait('series_d_plus', 'Series D+', 'series d', 'series e', 'series f', 'late stage', 'growth stage'),
];

/** Stages financed by external investors. */
export const VENTURE_STAGE_IDS = wordList('pre_seed, seed, series_a, series_b, series_c, series_d_plus');

export const BUSINESS_MODELS: readonly Trait[] = [
  trait('b2b', 'B2B', 'b2b', 'business to business', 'b 2 b'),
  trait('b2c', 'B2C', 'b2c', 'business to consumer', 'consumer facing', 'd2c', 'dtc', 'direct to consumer'),
  trait('b2b2c', 'B2B2C', 'b2b2c'),
  trait('marketplace', 'Marketplace', 'marketplace', 'two sided marketplace', 'platform business'),
];

export const OWNERSHIPS: readonly Trait[] = [
  trait('public', 'Public', 'public', 'publicly traded', 'listed', 'publicly listed', 'stock listed'),
  trait('private', 'Private', 'private', 'privately held', 'privately owned', 'family owned', 'unlisted'),
  trait('nonprofit', 'Non-profit', 'non-profit', 'nonprofit', 'not for profit'),
];

/** Products without synonyms. */
const PLAIN_TECHNOLOGIES = wordList(`
  React, Angular, TypeScript, Python, Kubernetes, Docker, Salesforce, HubSpot, Shopify, WordPress, Stripe,
  Snowflake, MongoDB, Kafka, Terraform, SAP, Zendesk, Intercom, Marketo, Magento, Ruby on Rails, Slack, Jira,
  Tableau, Databricks, Java
`);

/** Products that can be recognised from a company's website or job postings. */
export const TECHNOLOGIES: readonly Trait[] = [
  ...PLAIN_TECHNOLOGIES.map((name) => trait(name.toLowerCase().replaceAll(' ', '_'), name, name)),
  trait('vue', 'Vue.js', 'vue', 'vue.js', 'vuejs'),
  trait('node', 'Node.js', 'node.js', 'nodejs', 'node'),
  trait('go', 'Go', 'golang'),
  trait('aws', 'AWS', 'aws', 'amazon web services'),
  trait('azure', 'Microsoft Azure', 'azure', 'microsoft azure'),
  trait('gcp', 'Google Cloud', 'google cloud', 'gcp', 'google cloud platform'),
  trait('postgresql', 'PostgreSQL', 'postgresql', 'postgres'),
  trait('dynamics', 'Microsoft Dynamics', 'microsoft dynamics', 'dynamics 365'),
];

import { wordList, wordTable } from './word-table.js';

/** Levels of responsibility, highest first. */
export const SENIORITIES = [
  { id: 'founder', name: 'Owner / Founder' },
  { id: 'c_level', name: 'C-level' },
  { id: 'vp', name: 'VP' },
  { id: 'head', name: 'Head' },
  { id: 'director', name: 'Director' },
  { id: 'manager', name: 'Manager' },
  { id: 'senior', name: 'Senior' },
  { id: 'entry', name: 'Entry' },
  { id: 'intern', name: 'Intern' },
] as const;
export type SeniorityId = (typeof SENIORITIES)[number]['id'];

export interface Department {
  readonly id: string;
  readonly name: string;
  /** Title of the head of this department. */
  readonly chief: string;
  /** Title of a member, without a level. */
  readonly member: string;
  readonly synonyms: readonly string[];
}

export const DEPARTMENTS: readonly Department[] = wordTable(
  `
  executive | General Management | Chief Executive Officer | Chief of Staff | general management, leadership, strategy
  sales | Sales | Chief Revenue Officer | Account Executive | sales, business development, revenue, bizdev, account management,
    commercial, partnerships
  marketing | Marketing | Chief Marketing Officer | Marketing Specialist | marketing, growth, brand, demand generation,
    communications, content, content marketing, product marketing, performance marketing
  engineering | Engineering | Chief Technology Officer | Software Engineer | engineering, software engineering,
    software development, technology, development, devops
  product | Product | Chief Product Officer | Product Manager | product, product management
  design | Design | Chief Design Officer | Product Designer | design, ux, user experience, product design, creative
  data | Data | Chief Data Officer | Data Scientist | data, analytics, data science, business intelligence, data engineering,
    machine learning
  finance | Finance | Chief Financial Officer | Financial Analyst | finance, accounting, controlling, treasury, fp&a
  people | Human Resources | Chief People Officer | Recruiter | human resources, hr, people, talent, talent acquisition,
    people operations, people ops, recruiting, recruitment, learning and development
  legal | Legal | Chief Legal Officer | Legal Counsel | legal, compliance
  operations | Operations | Chief Operating Officer | Operations Specialist | operations, ops, supply chain, logistics,
    manufacturing, production
  customer_success | Customer Success | Chief Customer Officer | Customer Success Manager | customer success, customer support,
    support, customer service, customer experience, client services
  it | Information Technology | Chief Information Officer | Systems Administrator | IT, information technology, it operations,
    infrastructure
  security | Security | Chief Information Security Officer | Security Analyst | security, information security, cyber security,
    cybersecurity, infosec, it security
  procurement | Procurement | Chief Procurement Officer | Buyer | procurement, purchasing, sourcing
  research | Research & Development | Chief Scientific Officer | Research Scientist | r&d, research, research and development,
    r and d, innovation
`,
  (id, name, chief, member, synonyms) => ({ id, name, chief, member, synonyms: wordList(synonyms) }),
);
export type DepartmentId = Department['id'];

/**
 * Role of people. All given parts must match; an empty list matches any. `titleWords` are folded words that the person's
 * title must contain.
 */
export interface Role {
  readonly name: string;
  readonly seniorities: readonly SeniorityId[];
  readonly departments: readonly DepartmentId[];
  readonly titleWords: readonly string[];
}

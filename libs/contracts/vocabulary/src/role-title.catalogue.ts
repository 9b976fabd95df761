import type { DepartmentId, SeniorityId } from './role.catalogue.js';

/** Title with a word of its own, and the people it means. */
export interface TitleEntry {
  readonly name: string;
  readonly phrases: readonly string[];
  readonly seniorities: readonly SeniorityId[];
  readonly departments: readonly DepartmentId[];
  readonly titleWords: readonly string[];
}

const chief = (name: string, department: DepartmentId, ...phrases: string[]): TitleEntry => ({
  name,
  phrases,
  seniorities: ['c_level'],
  departments: [department],
  titleWords: [],
});
const level = (name: string, seniorities: SeniorityId[], ...phrases: string[]): TitleEntry => ({
  name,
  phrases,
  seniorities,
  departments: [],
  titleWords: [],
});
const craft = (
  name: string,
  department: DepartmentId,
  titleWords: string[],
  ...phrases: string[]
): TitleEntry => ({
  name,
  phrases,
  seniorities: [],
  departments: [department],
  titleWords,
});

/** Titles with words of their own; "VP of Sales" and similar ones are composed of level and department. */
export const TITLES: readonly TitleEntry[] = [
  chief(
    'CEO',
    'executive',
    'ceo',
    'chief executive officer',
    'chief executive',
    'managing director',
    'general manager',
  ),
  chief(
    'CTO',
    'engineering',
    'cto',
    'chief technology officer',
    'chief technical officer',
    'technical lead at board level',
  ),
  chief('CFO', 'finance', 'cfo', 'chief financial officer', 'finance chief'),
  chief('COO', 'operations', 'coo', 'chief operating officer', 'chief operations officer'),
  chief('CMO', 'marketing', 'cmo', 'chief marketing officer', 'marketing chief'),
  chief(
    'CRO',
    'sales',
    'cro',
    'chief revenue officer',
    'chief sales officer',
    'cso',
    'chief commercial officer',
    'cco',
  ),
  chief('CPO', 'product', 'cpo', 'chief product officer'),
  chief('CIO', 'it', 'cio', 'chief information officer'),
  chief('CISO', 'security', 'ciso', 'chief information security officer', 'chief security officer'),
  chief('CDO', 'data', 'cdo', 'chief data officer', 'chief analytics officer'),
  chief(
    'CHRO',
    'people',
    'chro',
    'chief people officer',
    'chief human resources officer',
    'chief hr officer',
  ),
  chief('CLO', 'legal', 'clo', 'chief legal officer', 'general counsel'),
  chief('Chief Procurement Officer', 'procurement', 'chief procurement officer'),
  chief('Chief Customer Officer', 'customer_success', 'chief customer officer'),
  chief('Chief Scientific Officer', 'research', 'chief scientific officer', 'chief science officer'),
  chief('Chief Design Officer', 'design', 'chief design officer'),
  // Both have the same level, so only the title distinguishes founders from owners.
  {
    ...level('Founder', ['founder'], 'founder', 'co-founder', 'cofounder', 'entrepreneur'),
    titleWords: ['founder'],
  },
  { ...level('Owner', ['founder'], 'owner', 'business owner', 'proprietor'), titleWords: ['owner'] },
  level(
    'C-level',
    ['c_level'],
    'c-level',
    'c level',
    'c-suite',
    'c suite',
    'chief officer',
    'c-level executive',
    'c-level executives',
    'c-suite executive',
    'top executive',
  ),
  level(
    'Executive',
    ['founder', 'c_level', 'vp'],
    'executive',
    'senior leader',
    'leadership team',
    'senior executive',
    'business leader',
    'leader',
  ),
  level(
    'Decision maker',
    ['founder', 'c_level', 'vp', 'head', 'director'],
    'decision maker',
    'decision-maker',
    'decisionmaker',
    'key decision maker',
    'buyer persona',
    'senior management',
  ),
  level(
    'VP',
    ['vp'],
    'vp',
    'vice president',
    'svp',
    'evp',
    'senior vice president',
    'executive vice president',
  ),
  level('Head', ['head'], 'department head', 'head of department', 'team head'),
  level('Director', ['director'], 'director', 'senior director'),
  level('Manager', ['manager'], 'manager', 'team lead', 'middle manager'),
  level('Senior', ['senior'], 'senior staff', 'senior professional', 'senior individual contributor'),
  level(
    'Entry level',
    ['entry'],
    'entry level',
    'entry-level',
    'junior',
    'junior employee',
    'entry-level employee',
  ),
  level('Intern', ['intern'], 'intern', 'trainee', 'working student'),
  craft(
    'Software engineer',
    'engineering',
    ['engineer'],
    'software engineer',
    'software developer',
    'developer',
    'programmer',
    'coder',
    'engineer',
    'backend engineer',
    'frontend engineer',
  ),
  craft('Recruiter', 'people', ['recruiter'], 'recruiter', 'talent acquisition specialist', 'talent partner'),
  craft('Product manager', 'product', ['product', 'manager'], 'product manager', 'pm'),
  craft('Designer', 'design', ['designer'], 'designer', 'product designer', 'ux designer', 'ui designer'),
  craft('Data scientist', 'data', ['data', 'scientist'], 'data scientist'),
  craft(
    'Account executive',
    'sales',
    ['account', 'executive'],
    'account executive',
    'sales rep',
    'sales representative',
    'salesperson',
    'salespeople',
  ),
  craft('Buyer', 'procurement', ['buyer'], 'buyer', 'purchaser'),
  craft('Security analyst', 'security', ['security', 'analyst'], 'security analyst'),
  craft('Financial analyst', 'finance', ['financial', 'analyst'], 'financial analyst'),
  craft(
    'Systems administrator',
    'it',
    ['systems', 'administrator'],
    'systems administrator',
    'system administrator',
    'sysadmin',
  ),
  craft('Research scientist', 'research', ['scientist'], 'research scientist', 'researcher', 'scientist'),
  craft(
    'Customer success manager',
    'customer_success',
    ['customer', 'success'],
    'customer success manager',
    'csm',
  ),
  craft(
    'Legal counsel',
    'legal',
    ['counsel'],
    'legal counsel',
    'in-house lawyer',
    'in house counsel',
    'lawyer',
  ),
];

/** Words for a level before or after a department: "VP of Sales", "sales directors". */
export const LEVEL_WORDS: ReadonlyArray<{ seniority: SeniorityId; phrases: readonly string[] }> = [
  { seniority: 'vp', phrases: ['vp', 'vice president', 'svp', 'evp', 'senior vice president'] },
  { seniority: 'head', phrases: ['head', 'lead', 'leader', 'chief'] },
  { seniority: 'director', phrases: ['director', 'senior director'] },
  { seniority: 'manager', phrases: ['manager'] },
  { seniority: 'senior', phrases: ['senior'] },
  { seniority: 'entry', phrases: ['junior', 'entry level'] },
  { seniority: 'intern', phrases: ['intern', 'trainee'] },
];

import type { DepartmentId, SeniorityId } from './role.catalogue.js';
import { wordList, wordTable } from './word-table.js';

/** Title with a word of its own, and the people it means. */
export interface TitleEntry {
  readonly name: string;
  readonly phrases: readonly string[];
  readonly seniorities: readonly SeniorityId[];
  readonly departments: readonly DepartmentId[];
  readonly titleWords: readonly string[];
}

/**
 * Titles with words of their own; "VP of Sales" and similar ones are composed of level and department. Founders and owners have
 * the same level, so only the words of the title distinguish them.
 */
export const TITLES: readonly TitleEntry[] = wordTable(
  `
  CEO | c_level | executive | | ceo, chief executive officer, chief executive, managing director, general manager
  CTO | c_level | engineering | | cto, chief technology officer, chief technical officer, technical lead at board level
  CFO | c_level | finance | | cfo, chief financial officer, finance chief
  COO | c_level | operations | | coo, chief operating officer, chief operations officer
  CMO | c_level | marketing | | cmo, chief marketing officer, marketing chief
  CRO | c_level | sales | | cro, chief revenue officer, chief sales officer, cso, chief commercial officer, cco
  CPO | c_level | product | | cpo, chief product officer
  CIO | c_level | it | | cio, chief information officer
  CISO | c_level | security | | ciso, chief information security officer, chief security officer
  CDO | c_level | data | | cdo, chief data officer, chief analytics officer
  CHRO | c_level | people | | chro, chief people officer, chief human resources officer, chief hr officer
  CLO | c_level | legal | | clo, chief legal officer, general counsel
  Chief Procurement Officer | c_level | procurement | | chief procurement officer
  Chief Customer Officer | c_level | customer_success | | chief customer officer
  Chief Scientific Officer | c_level | research | | chief scientific officer, chief science officer
  Chief Design Officer | c_level | design | | chief design officer
  Founder | founder | | founder | founder, co-founder, cofounder, entrepreneur
  Owner | founder | | owner | owner, business owner, proprietor
  C-level | c_level | | | c-level, c level, c-suite, c suite, chief officer, c-level executive, c-level executives,
    c-suite executive, top executive
  Executive | founder, c_level, vp | | | executive, senior leader, leadership team, senior executive, business leader, leader
  Decision maker | founder, c_level, vp, head, director | | | decision maker, decision-maker, decisionmaker,
    key decision maker, buyer persona, senior management
  VP | vp | | | vp, vice president, svp, evp, senior vice president, executive vice president
  Head | head | | | department head, head of department, team head
  Director | director | | | director, senior director
  Manager | manager | | | manager, team lead, middle manager
  Senior | senior | | | senior staff, senior professional, senior individual contributor
  Entry level | entry | | | entry level, entry-level, junior, junior employee, entry-level employee
  Intern | intern | | | intern, trainee, working student
  Software engineer | | engineering | engineer | software engineer, software developer, developer, programmer, coder, engineer,
    backend engineer, frontend engineer
  Recruiter | | people | recruiter | recruiter, talent acquisition specialist, talent partner
  Product manager | | product | product, manager | product manager, pm
  Designer | | design | designer | designer, product designer, ux designer, ui designer
  Data scientist | | data | data, scientist | data scientist
  Account executive | | sales | account, executive | account executive, sales rep, sales representative, salesperson,
    salespeople
  Buyer | | procurement | buyer | buyer, purchaser
  Security analyst | | security | security, analyst | security analyst
  Financial analyst | | finance | financial, analyst | financial analyst
  Systems administrator | | it | systems, administrator | systems administrator, system administrator, sysadmin
  Research scientist | | research | scientist | research scientist, researcher, scientist
  Customer success manager | | customer_success | customer, success | customer success manager, csm
  Legal counsel | | legal | counsel | legal counsel, in-house lawyer, in house counsel, lawyer
`,
  (name, seniorities, departments, titleWords, phrases) => ({
    name,
    seniorities: wordList(seniorities) as SeniorityId[],
    departments: wordList(departments),
    titleWords: wordList(titleWords),
    phrases: wordList(phrases),
  }),
);

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

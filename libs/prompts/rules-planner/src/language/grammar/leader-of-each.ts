import { departmentName, type Role } from '@quarry/vocabulary';

/** Head of a department, whatever the title. */
export interface Leader {
  readonly role: Role;
  readonly note: string;
}

/**
 * Reads "companies with their heads of marketing": the most senior person of that department at each company, whose title
 * may be head, chief or director.
 * @param text the words of the prompt
 * @returns null for a role that is not the head of a department
 */
export function leaderOfEach(roles: readonly Role[], text: string): Leader | null {
  const [role, second] = roles;
  const [department] = role?.departments ?? [];
  if (!role || second || !department || role.seniorities.join() !== 'head') return null;
  const name = departmentName(department);
  return {
    role: { name: `most senior in ${name}`, seniorities: [], departments: [department], titleWords: [] },
    note: `“${text}” was read as the most senior person in ${name} at each company.`,
  };
}

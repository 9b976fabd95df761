import { departmentName, type Role } from '@quarry/vocabulary';

/** Head of a department, whatever the title. */
export interface Leader {
  readonly role: Role;
  readonly note: string;
}

/**
 * "Companies with their heads of marketing": at each the most senior person of that department, whom one firm calls head
 * and another one chief or director.
 * @param text the words of the prompt
 * @returns null for a role that is no head of a department
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

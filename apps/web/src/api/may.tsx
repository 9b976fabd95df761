import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from './queries';
import type { Role } from './resources';

/** Roles that may do what is no mere reading. Plans, estimates and views of tables are reads, and wait for no role. */
const ROLES = {
  /** All work: what changes something, and what spends. */
  change: ['owner', 'member'],
  /** Members, the audit log, erasing, and vendors' keys. */
  administer: ['owner'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export const NOT_ALLOWED =
  'Your role does not allow this. An owner of your organisation can give you another role.';

export type Task = keyof typeof ROLES;

/** Returns whether the role of the person allows a task: what it does not allow, the server answers as if it were not there. */
export function useMay(task: Task): boolean {
  const role = useQuery(sessionQuery).data?.user.role;
  return ROLES[task].some((each) => each === role);
}

interface MayProps {
  readonly task: Task;
  /** Shown to the other roles, where nothing would leave a hole. */
  readonly otherwise?: ReactNode;
  readonly children: ReactNode;
}

/** Shows what only the roles of a task may use. */
export function May({ task, otherwise = null, children }: MayProps) {
  return useMay(task) ? children : otherwise;
}

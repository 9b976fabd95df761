import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from './queries';
import type { Role } from './resources';

/** Roles that may do more than read. Plans, estimates and views of tables are reads, which every role may do. */
const ROLES = {
  /** Everything that changes something or spends credits. */
  change: ['owner', 'member'],
  /** Members, the audit log, erasing, and vendors' keys. */
  administer: ['owner'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;

export const NOT_ALLOWED =
  'Your role does not allow this. An owner of your organisation can give you another role.';

export type Task = keyof typeof ROLES;

/** Returns whether the user's role allows a task; the server answers all others with 404. */
export function useMay(task: Task): boolean {
  const role = useQuery(sessionQuery).data?.user.role;
  return ROLES[task].some((each) => each === role);
}

interface MayProps {
  readonly task: Task;
  /** Shown to other roles, if an empty place would look wrong. */
  readonly otherwise?: ReactNode;
  readonly children: ReactNode;
}

/** Renders its children only for the roles of a task. */
export function May({ task, otherwise = null, children }: MayProps) {
  return useMay(task) ? children : otherwise;
}

import type pg from 'pg';

/**
 * Roles that access the database. They exist once per server. The role that owns the database migrates it and has a name
 * that the operator chooses.
 */
export const ROLES = {
  /** Serves requests: statements of one organisation only. */
  serving: 'quarry_serving',
  /** Accesses all organisations: workers, agents, retention, the admin command. */
  working: 'quarry_working',
  /** Reads metrics: the views of the schema `metrics`, which contain no organisation. */
  metrics: 'quarry_metrics',
} as const;

export type RoleName = (typeof ROLES)[keyof typeof ROLES];

/** The roles are missing and the migrating user may not create them. The message contains the necessary statements. */
export class RolesMissingError extends Error {
  override readonly name = 'RolesMissingError';
}

// 42710 duplicate_object, 23505 unique_violation: another database of the server is being migrated at the same time.
const MADE_MEANWHILE = new Set(['42710', '23505']);

/**
 * Creates missing roles without the right to log in, and makes the current user a member of the working one, so that a
 * migration can change rows of all organisations.
 * @throws RolesMissingError
 */
export async function ensureRoles(client: pg.ClientBase): Promise<void> {
  try {
    for (const name of await missingRoles(client)) await makeRole(client, name);
    const member = `SELECT pg_has_role($1, 'USAGE') AND pg_has_role($1, 'SET') AS is_member`;
    const { rows: memberships } = await client.query<{ is_member: boolean }>(member, [ROLES.working]);
    if (!memberships[0]!.is_member)
      await client.query(`GRANT ${ROLES.working} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE`);
  } catch (cause) {
    if ((cause as { code?: string }).code !== '42501') throw cause;
    const { rows: names } = await client.query<{ owner: string }>(
      'SELECT quote_ident(current_user) AS owner',
    );
    throw new RolesMissingError(
      `The user of the database may not make the roles that Quarry works with. Run once, as somebody who may:\n${rolesSql(names[0]!.owner, await missingRoles(client))}`,
      { cause },
    );
  }
}

/** The user of the database has not the rights of the process. The message names both. */
class WrongRoleError extends Error {
  override readonly name = 'WrongRoleError';
}

/**
 * The rights of the working role include those of the serving one, and the owner has all. A server without the roles has had no
 * migration yet, and refuses nobody.
 * @throws WrongRoleError if the user of the connection lacks the rights of the role
 */
export async function requireRole(client: pg.ClientBase, role: RoleName): Promise<void> {
  const enough = role === ROLES.serving ? [ROLES.serving, ROLES.working] : [role];
  const { rows } = await client.query<{ name: string; is_enough: boolean | null }>(
    `SELECT current_user AS name, bool_or(pg_has_role(oid, 'USAGE')) AS is_enough FROM pg_roles
    WHERE rolname = ANY ($1) OR oid = (SELECT nspowner FROM pg_namespace WHERE nspname = 'identity')`,
    [enough],
  );
  const { name, is_enough: isEnough } = rows[0]!;
  if (isEnough === false)
    throw new WrongRoleError(
      `The user ${name} of DATABASE_URL has not the rights of ${role}, the role of this process (docs/scaling.md).`,
    );
}

/** Returns the missing roles. A user who may create roles may still lack the right to set their settings. */
async function missingRoles(client: pg.ClientBase): Promise<RoleName[]> {
  const { rows } = await client.query<{ name: RoleName }>(
    'SELECT name FROM unnest($1::text[]) name WHERE to_regrole(name) IS NULL',
    [Object.values(ROLES)],
  );
  return rows.map(({ name }) => name);
}

/** @returns the statements that an operator runs once if the migrating user may not create roles */
function rolesSql(owner: string, missing: readonly RoleName[]): string {
  const roles = missing.map((role) => `${roleSql(role)};`);
  return [...roles, `GRANT ${ROLES.working} TO ${owner} WITH INHERIT TRUE, SET TRUE;`].join('\n');
}

/** Setting with which the metrics role counts all organisations, for every reader. */
const COUNTS_ALL = `ALTER ROLE ${ROLES.metrics} SET app.org_id = '*'`;

/** @returns the statement that creates a role; it may not log in until an operator allows it */
export function roleSql(role: string): string {
  return role === ROLES.metrics ? `CREATE ROLE ${role}; ${COUNTS_ALL}` : `CREATE ROLE ${role}`;
}

async function makeRole(client: pg.ClientBase, role: string): Promise<void> {
  await client.query(roleSql(role)).catch((error: unknown) => {
    if (!MADE_MEANWHILE.has((error as { code?: string }).code ?? '')) throw error;
  });
}

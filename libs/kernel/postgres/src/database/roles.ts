import type pg from 'pg';

/**
 * Roles that work on the database. They are roles of the whole server. The one that owns the database migrates it and
 * has a name of the operator's choice.
 */
export const ROLES = {
  /** Answers requests: statements of one organisation, none across them. */
  serving: 'quarry_serving',
  /** Works for all organisations: workers, agents, retention, the admin command. */
  working: 'quarry_working',
  /** Reads metrics: the views of the schema `metrics`, which name no organisation. */
  metrics: 'quarry_metrics',
} as const;

export type RoleName = (typeof ROLES)[keyof typeof ROLES];

/** The roles are missing, and the user that migrates may not make them; the message has the statements that do. */
export class RolesMissingError extends Error {
  override readonly name = 'RolesMissingError';
}

// 42710 duplicate_object, 23505 unique_violation: another database of the server is migrated at the same time.
const MADE_MEANWHILE = new Set(['42710', '23505']);

/**
 * Makes the roles that are missing, without the right to log in, and makes whoever asks a member of the working one,
 * so that a migration can change rows of all organisations.
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

/** A user who may make roles may yet not give one a setting: some of them are there then. */
async function missingRoles(client: pg.ClientBase): Promise<RoleName[]> {
  const { rows } = await client.query<{ name: RoleName }>(
    'SELECT name FROM unnest($1::text[]) name WHERE to_regrole(name) IS NULL',
    [Object.values(ROLES)],
  );
  return rows.map(({ name }) => name);
}

/** @returns the statements that an operator runs once where the migrating user may not make roles */
function rolesSql(owner: string, missing: readonly RoleName[]): string {
  const roles = missing.map((role) => `${roleSql(role)};`);
  return [...roles, `GRANT ${ROLES.working} TO ${owner} WITH INHERIT TRUE, SET TRUE;`].join('\n');
}

/** Metrics are counted over all organisations, whoever connects to read them. */
const COUNTS_ALL = `ALTER ROLE ${ROLES.metrics} SET app.org_id = '*'`;

/** @returns what makes a role; it may not log in until an operator says so */
export function roleSql(role: string): string {
  return role === ROLES.metrics ? `CREATE ROLE ${role}; ${COUNTS_ALL}` : `CREATE ROLE ${role}`;
}

async function makeRole(client: pg.ClientBase, role: string): Promise<void> {
  await client.query(roleSql(role)).catch((error: unknown) => {
    if (!MADE_MEANWHILE.has((error as { code?: string }).code ?? '')) throw error;
  });
}

import type { Ctx } from '@quarry/app';

/**
 * The tenant as the first parameter of a statement: an organisation has two worlds, what its live keys made and what
 * its test keys made, and neither may see the other. One parameter for both parts, so that no statement can name the
 * organisation and forget the mode: an array does not compare with a column, and a bare id is no array.
 */
export function tenantOf(ctx: Pick<Ctx, 'orgId' | 'mode'>): [orgId: string, mode: string] {
  return [ctx.orgId, ctx.mode];
}

/** The organisation of {@link tenantOf} in `$1`, for tables that are reached only through a row that has a mode. */
export const TENANT_ORG = '($1::text[])[1]';

const TENANT_MODE = '($1::text[])[2]';

/** Both parts of {@link tenantOf} in `$1`, as values for the columns `org_id, mode`. */
export const TENANT = `${TENANT_ORG}, ${TENANT_MODE}`;

/** @returns the predicate that a row belongs to the tenant in `$1`; `alias` is the name of its table in the statement */
export function ofTenant(alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return `${prefix}org_id = ${TENANT_ORG} AND ${prefix}mode = ${TENANT_MODE}`;
}

import type { Ctx } from '@quarry/app';

/**
 * Returns the tenant as the first parameter of a statement. The data of an organisation is separated by the mode of the
 * keys that created it: live and test data never see each other. Both parts are one parameter, so that no statement can
 * filter by organisation and forget the mode: an array cannot be compared with a column, and a bare id is not an array.
 */
export function tenantOf(ctx: Pick<Ctx, 'orgId' | 'mode'>): [orgId: string, mode: string] {
  return [ctx.orgId, ctx.mode];
}

/** Organisation of {@link tenantOf} in `$1`, for tables that are only reached through a row that has a mode. */
export const TENANT_ORG = '($1::text[])[1]';

const TENANT_MODE = '($1::text[])[2]';

/** Both parts of {@link tenantOf} in `$1`, as values for the columns `org_id, mode`. */
export const TENANT = `${TENANT_ORG}, ${TENANT_MODE}`;

/** @returns the predicate that a row belongs to the tenant in `$1`; `alias` is the name of its table in the statement */
export function ofTenant(alias?: string): string {
  const prefix = alias === undefined ? '' : `${alias}.`;
  return `${prefix}org_id = ${TENANT_ORG} AND ${prefix}mode = ${TENANT_MODE}`;
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const LOCK_MS = 1_000;
const PER_ROW = "current_setting('app.org_id'::text, true)";
const ONCE = `(SELECT ${PER_ROW})`;

/**
 * Makes policies read the organisation once per statement. A setting that is read by a bare function call was read for
 * every row that a list skips, which was half of the time of a deep page or of the jobs of a batch. Why the comparison is
 * written this way: access-rules.ts.
 */
export class ReadPolicySettingsOnce1763700000262 implements MigrationInterface {
  readonly name = 'ReadPolicySettingsOnce1763700000262';
  /** Not one transaction: each table is locked separately, for a moment. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    const own = `(CASE WHEN org_id = ${ONCE} THEN true END) IS NOT NULL`;
    await alterPolicies(runner, "qual !~ 'SELECT'", '^\\(org_id = ', own, `${ONCE} = '*'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await alterPolicies(runner, "qual ~ 'SELECT'", 'CASE', `org_id = ${PER_ROW}`, `${PER_ROW} = '*'`);
  }
}

/**
 * Alters the policies of a condition.
 * @param isOwn pattern of those that show the rows of one organisation; the others show all
 */
async function alterPolicies(
  runner: QueryRunner,
  condition: string,
  isOwn: string,
  own: string,
  all: string,
): Promise<void> {
  const policies = (await runner.query(
    `SELECT quote_ident(policyname) AS name, format('%I.%I', schemaname, tablename) AS relation, qual ~ '${isOwn}' AS is_own
     FROM pg_policies WHERE qual ~ 'app\\.org_id' AND ${condition} ORDER BY 2, 1`,
  )) as Array<{ name: string; relation: string; is_own: boolean }>;
  await runner.query(`SET lock_timeout = ${LOCK_MS}`);
  for (const { name, relation, is_own: isOwnRows } of policies)
    await runner.query(`ALTER POLICY ${name} ON ${relation} USING (${isOwnRows ? own : all})`);
  await runner.query('RESET lock_timeout');
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const LOCK_MS = 1_000;
const PER_ROW = "current_setting('app.org_id'::text, true)";
const ONCE = `(SELECT ${PER_ROW})`;

/**
 * Policies read the organisation of a statement once. A setting that is read by a function alone was read for every row that a
 * list passes over, which was half of what a deep page and the jobs of a list took.
 */
export class ReadPolicySettingsOnce1763700000262 implements MigrationInterface {
  readonly name = 'ReadPolicySettingsOnce1763700000262';
  /** Each table is locked for itself, for a moment. */
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await replaceInPolicies(runner, "qual !~ 'SELECT current_setting'", (qual) =>
      qual.replaceAll(PER_ROW, ONCE),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceInPolicies(runner, "qual ~ 'SELECT current_setting'", (qual) =>
      qual.replaceAll(/\( *SELECT (current_setting\([^)]*\))( AS current_setting)?\)/g, '$1'),
    );
  }
}

async function replaceInPolicies(
  runner: QueryRunner,
  condition: string,
  replace: (qual: string) => string,
): Promise<void> {
  const policies = (await runner.query(
    `SELECT quote_ident(policyname) AS name, format('%I.%I', schemaname, tablename) AS relation, qual
     FROM pg_policies WHERE qual ~ 'app\\.org_id' AND ${condition} ORDER BY 2, 1`,
  )) as Array<{ name: string; relation: string; qual: string }>;
  await runner.query(`SET lock_timeout = ${LOCK_MS}`);
  for (const { name, relation, qual } of policies)
    await runner.query(`ALTER POLICY ${name} ON ${relation} USING (${replace(qual)})`);
  await runner.query('RESET lock_timeout');
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Directories that an operator imports from files. Each has its own table, which inherits from `directory.companies` or
 * `directory.people`: these stay empty, and a column that a later migration adds to them appears in all. The working role
 * owns them, so that the admin command can create and drop tables.
 */
export class AddDirectories1763700000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA directory;
      GRANT USAGE, CREATE ON SCHEMA directory TO quarry_working;
      CREATE SEQUENCE directory.numbers AS integer;
      CREATE TABLE directory.directories (
        kind           text COLLATE "C" NOT NULL CHECK (kind IN ('companies', 'people')),
        name           text COLLATE "C" NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
        -- Ends the name of the table that holds it.
        number         integer NOT NULL UNIQUE,
        row_count      integer NOT NULL,
        rejected_count integer NOT NULL,
        file           text NOT NULL,
        imported_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (kind, name)
      );
      CREATE TABLE directory.companies (
        -- The line of the file: what is equal otherwise stays in its order.
        position integer NOT NULL,
        id text COLLATE "C" NOT NULL,
        name text COLLATE "C" NOT NULL,
        name_folded text COLLATE "C" NOT NULL,
        domain text COLLATE "C",
        website text,
        linkedin_url text,
        linkedin_slug text COLLATE "C",
        industry_id text COLLATE "C",
        industry text,
        description text,
        city text COLLATE "C",
        state text COLLATE "C",
        country text COLLATE "C",
        country_code text COLLATE "C",
        headcount integer,
        -- Equal to headcount where it is known; else the bounds of the size that the file gives.
        headcount_min integer,
        headcount_max integer,
        founded_year integer,
        funding_stage text COLLATE "C",
        funding_amount_usd bigint,
        revenue_usd bigint,
        business_model text COLLATE "C",
        ownership text COLLATE "C",
        technologies text[] NOT NULL,
        keywords text[] NOT NULL,
        is_hiring boolean,
        hiring_departments text[] NOT NULL,
        phone text
      );
      CREATE TABLE directory.people (
        position integer NOT NULL,
        id text COLLATE "C" NOT NULL,
        first_name text NOT NULL,
        last_name text NOT NULL,
        full_name text NOT NULL,
        full_name_folded text COLLATE "C" NOT NULL,
        title text,
        title_words text[] NOT NULL,
        seniority text COLLATE "C",
        -- Its place among the levels, the highest first; behind them all where it is not known.
        seniority_rank integer NOT NULL,
        department text COLLATE "C",
        city text COLLATE "C",
        state text COLLATE "C",
        country text COLLATE "C",
        country_code text COLLATE "C",
        linkedin_url text,
        linkedin_slug text COLLATE "C",
        experiences jsonb NOT NULL,
        educations jsonb NOT NULL,
        company_id text COLLATE "C" NOT NULL,
        company_name text COLLATE "C" NOT NULL,
        company_name_folded text COLLATE "C" NOT NULL,
        company_domain text COLLATE "C",
        company_website text,
        company_linkedin_url text,
        company_linkedin_slug text COLLATE "C",
        company_industry_id text COLLATE "C",
        company_industry text,
        company_description text,
        company_city text COLLATE "C",
        company_state text COLLATE "C",
        company_country text COLLATE "C",
        company_country_code text COLLATE "C",
        company_headcount integer,
        company_headcount_min integer,
        company_headcount_max integer,
        company_founded_year integer,
        company_funding_stage text COLLATE "C",
        company_funding_amount_usd bigint,
        company_revenue_usd bigint,
        company_business_model text COLLATE "C",
        company_ownership text COLLATE "C",
        company_technologies text[] NOT NULL,
        company_keywords text[] NOT NULL,
        company_is_hiring boolean,
        company_hiring_departments text[] NOT NULL,
        company_phone text
      );
      ALTER TABLE directory.companies OWNER TO quarry_working;
      ALTER TABLE directory.people OWNER TO quarry_working;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA directory CASCADE');
  }
}

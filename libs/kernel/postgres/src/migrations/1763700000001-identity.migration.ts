import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Organisations, their users and their API keys. Only the SHA-256 of a key's secret is stored. */
export class CreateIdentity1763700000001 implements MigrationInterface {
  readonly name = 'CreateIdentity1763700000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA identity;

      CREATE TABLE identity.organisations (
        id         text PRIMARY KEY,
        name       text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      );

      CREATE TABLE identity.users (
        id            text PRIMARY KEY,
        org_id        text NOT NULL REFERENCES identity.organisations (id),
        email         text NOT NULL,
        password_hash text NOT NULL,
        created_at    timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      -- One account per address, however it is capitalised.
      CREATE UNIQUE INDEX users_email_once ON identity.users (lower(email));
      CREATE INDEX users_of_organisation ON identity.users (org_id, created_at);

      CREATE TABLE identity.api_keys (
        id            text PRIMARY KEY,
        public_id     text NOT NULL CONSTRAINT api_keys_public_id_once UNIQUE,
        secret_sha256 bytea NOT NULL CHECK (length(secret_sha256) = 32),
        last_four     text NOT NULL,
        org_id        text NOT NULL REFERENCES identity.organisations (id),
        user_id       text NOT NULL REFERENCES identity.users (id),
        mode          text NOT NULL CHECK (mode IN ('live', 'test')),
        created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
        last_used_at  timestamptz,
        revoked_at    timestamptz
      );
      CREATE INDEX api_keys_of_organisation ON identity.api_keys (org_id, created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA identity CASCADE');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ROLES } from '../database/roles.js';

/**
 * Sessions of the web application, sign-in links, invitations, and roles of users. Only the SHA-256 of each secret is
 * stored.
 */
export class AddSessions1763700000140 implements MigrationInterface {
  readonly name = 'AddSessions1763700000140';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      SET LOCAL app.org_id = '*';

      ALTER TABLE identity.users
        ADD COLUMN name text,
        ADD COLUMN role text NOT NULL DEFAULT 'member'
          CONSTRAINT users_role_known CHECK (role IN ('owner', 'member', 'viewer')),
        -- Nobody can sign in as somebody who was removed, and their keys are revoked.
        ADD COLUMN removed_at timestamptz;
      UPDATE identity.users SET role = 'owner'
      WHERE id IN (SELECT DISTINCT ON (org_id) id FROM identity.users ORDER BY org_id, created_at, id);
      -- A session says whose it is: its user is read before there is an organisation.
      CREATE POLICY found_by_session ON identity.users FOR SELECT TO ${ROLES.serving}
        USING (current_setting('app.org_id', true) = '*');

      ALTER TABLE identity.api_keys
        ADD COLUMN name text,
        ADD COLUMN expires_at timestamptz,
        -- "app": what a user does in the web application is done with this key, whose secret nobody knows.
        ADD COLUMN kind text NOT NULL DEFAULT 'api' CONSTRAINT api_keys_kind_known CHECK (kind IN ('api', 'app'));
      CREATE UNIQUE INDEX api_keys_app_once ON identity.api_keys (user_id, mode)
        WHERE kind = 'app' AND revoked_at IS NULL;

      CREATE TABLE identity.sessions (
        id           text PRIMARY KEY,
        token_sha256 bytea NOT NULL CONSTRAINT sessions_token_once UNIQUE CHECK (length(token_sha256) = 32),
        org_id       text NOT NULL REFERENCES identity.organisations (id),
        user_id      text NOT NULL REFERENCES identity.users (id),
        live_key_id  text NOT NULL REFERENCES identity.api_keys (id),
        test_key_id  text NOT NULL REFERENCES identity.api_keys (id),
        address      text,
        agent        text,
        created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
        last_seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        ends_at      timestamptz NOT NULL,
        ended_at     timestamptz
      );
      CREATE INDEX sessions_of_user ON identity.sessions (org_id, user_id);
      CREATE POLICY found_by_session ON identity.sessions FOR SELECT TO ${ROLES.serving}
        USING (current_setting('app.org_id', true) = '*');
      CREATE POLICY noted_by_session ON identity.sessions FOR UPDATE TO ${ROLES.serving}
        USING (current_setting('app.org_id', true) = '*');

      CREATE TABLE identity.login_links (
        token_sha256 bytea PRIMARY KEY CHECK (length(token_sha256) = 32),
        org_id       text NOT NULL REFERENCES identity.organisations (id),
        user_id      text NOT NULL REFERENCES identity.users (id),
        created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
        ends_at      timestamptz NOT NULL
      );
      CREATE INDEX login_links_of_user ON identity.login_links (org_id, user_id);

      CREATE TABLE identity.invitations (
        id           text PRIMARY KEY,
        token_sha256 bytea NOT NULL CONSTRAINT invitations_token_once UNIQUE CHECK (length(token_sha256) = 32),
        org_id       text NOT NULL REFERENCES identity.organisations (id),
        email        text NOT NULL,
        role         text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
        invited_by   text NOT NULL REFERENCES identity.users (id),
        created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
        ends_at      timestamptz NOT NULL
      );
      -- Who is invited again gets a new link, and the one of before opens nothing.
      CREATE UNIQUE INDEX invitations_once ON identity.invitations (org_id, lower(email));

      -- Tries to sign in that were not successful, by what is counted: an account or an address, as a hash.
      CREATE TABLE identity.login_attempts (
        id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        subject    text NOT NULL,
        at         timestamptz NOT NULL DEFAULT clock_timestamp()
      );
      CREATE INDEX login_attempts_of_subject ON identity.login_attempts (subject, at);
      CREATE INDEX login_attempts_by_age ON identity.login_attempts (at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE identity.login_attempts, identity.invitations, identity.login_links, identity.sessions;
      DROP INDEX identity.api_keys_app_once;
      ALTER TABLE identity.api_keys DROP COLUMN name, DROP COLUMN expires_at, DROP COLUMN kind;
      DROP POLICY found_by_session ON identity.users;
      ALTER TABLE identity.users DROP COLUMN name, DROP COLUMN role, DROP COLUMN removed_at;
    `);
  }
}

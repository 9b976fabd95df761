import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Requests with an Idempotency-Key, and their responses. A row without a response belongs to the request that is being
 * processed, until its lease ends; the response is written in the transaction of the effect. The platform owns the
 * schema: every library that creates or spends something writes its rows through it.
 */
export class KeepRequestKeys1763700000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA requests;

      CREATE TABLE requests.keys (
        org_id text COLLATE "C" NOT NULL,
        mode text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        -- The call, with the ids of its address: a key for one workspace is no key for another.
        route text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        body_hash text COLLATE "C" NOT NULL,
        token uuid NOT NULL,
        lease_until timestamptz,
        answer text,
        kept_until timestamptz NOT NULL,
        CONSTRAINT one_request_per_key PRIMARY KEY (org_id, mode, route, key),
        CONSTRAINT answered_or_leased CHECK ((answer IS NULL) = (lease_until IS NOT NULL))
      );
      CREATE INDEX keys_by_age ON requests.keys (kept_until);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA requests CASCADE');
  }
}

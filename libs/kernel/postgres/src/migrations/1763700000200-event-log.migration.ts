import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The event log, which clients list, stream and receive by webhook. Why it is read by transaction: docs/adr/0060. */
export class AddEventLog1763700000200 implements MigrationInterface {
  readonly name = 'AddEventLog1763700000200';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA events;
      CREATE TABLE events.subjects (
        org_id   text COLLATE "C" NOT NULL,
        mode     text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        -- The run, batch, Go run, enrichment or export that the events are about.
        subject  text COLLATE "C" NOT NULL,
        last_seq bigint NOT NULL,
        last_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, subject)
      );
      CREATE INDEX subjects_by_age ON events.subjects (last_at);

      CREATE TABLE events.events (
        -- Orders the events of one transaction.
        position bigint GENERATED ALWAYS AS IDENTITY,
        xid      xid8 NOT NULL DEFAULT pg_current_xact_id(),
        org_id   text COLLATE "C" NOT NULL,
        mode     text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        id       text COLLATE "C" PRIMARY KEY,
        subject  text COLLATE "C" NOT NULL,
        seq      bigint NOT NULL,
        type     text COLLATE "C" NOT NULL,
        at       timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Ids, states, counts and links: nothing about a person.
        data     jsonb NOT NULL,
        UNIQUE (org_id, mode, subject, seq)
      );
      CREATE INDEX feed_of_events ON events.events (org_id, mode, xid, position);
      CREATE INDEX events_by_age ON events.events (at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA events CASCADE');
  }
}

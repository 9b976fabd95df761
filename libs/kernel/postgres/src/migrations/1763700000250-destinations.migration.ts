import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Destinations that receive table rows, and what was sent to each. Why by turns and keys: docs/adr/0065. */
export class AddDestinations1763700000250 implements MigrationInterface {
  readonly name = 'AddDestinations1763700000250';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA destinations;
      CREATE TABLE destinations.destinations (
        org_id        text COLLATE "C" NOT NULL,
        mode          text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        id            text COLLATE "C" NOT NULL,
        kind          text COLLATE "C" NOT NULL,
        name          text NOT NULL,
        -- As they were given, in their order.
        settings      json NOT NULL,
        -- Null where it is guessed from the columns of each table.
        mapping       json,
        sealed_secret text COLLATE "C" NOT NULL,
        -- Who sends to it.
        lease_token   text COLLATE "C",
        lease_until   timestamptz,
        queued_at     timestamptz NOT NULL DEFAULT '-infinity',
        created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, id)
      );

      CREATE TABLE destinations.pushes (
        org_id         text COLLATE "C" NOT NULL,
        mode           text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        destination_id text COLLATE "C" NOT NULL,
        id             text COLLATE "C" NOT NULL,
        table_id       text COLLATE "C" NOT NULL,
        view_id        text COLLATE "C",
        status         text COLLATE "C" NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'working', 'completed', 'failed')),
        -- Why it failed, or what it waits for.
        reason         text,
        -- The first row of the table or of the view that is not settled yet.
        next_row       bigint NOT NULL DEFAULT 0,
        counts         json NOT NULL DEFAULT '{}',
        -- Attempts that have failed since the last success.
        tries          integer NOT NULL DEFAULT 0,
        next_at        timestamptz DEFAULT clock_timestamp(),
        created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        ended_at       timestamptz,
        PRIMARY KEY (org_id, mode, destination_id, id),
        FOREIGN KEY (org_id, mode, destination_id) REFERENCES destinations.destinations ON DELETE CASCADE,
        CHECK ((status IN ('completed', 'failed')) = (ended_at IS NOT NULL)),
        CHECK ((ended_at IS NULL) = (next_at IS NOT NULL))
      );
      CREATE INDEX open_pushes ON destinations.pushes (org_id, mode, destination_id, created_at, id) WHERE ended_at IS NULL;
      CREATE INDEX pushes_by_end ON destinations.pushes (ended_at) WHERE ended_at IS NOT NULL;

      -- What was sent last, by the natural key of a row: a repeat sends what differs.
      CREATE TABLE destinations.sent_rows (
        org_id         text COLLATE "C" NOT NULL,
        mode           text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        destination_id text COLLATE "C" NOT NULL,
        key            text COLLATE "C" NOT NULL,
        hash           text COLLATE "C" NOT NULL,
        -- Its identifier there, where one was told.
        vendor_id      text,
        row_id         text COLLATE "C" NOT NULL,
        -- The last push that came by it.
        push_id        text COLLATE "C" NOT NULL,
        sent_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, destination_id, key),
        FOREIGN KEY (org_id, mode, destination_id) REFERENCES destinations.destinations ON DELETE CASCADE
      );

      CREATE TABLE destinations.refused_rows (
        org_id         text COLLATE "C" NOT NULL,
        mode           text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        destination_id text COLLATE "C" NOT NULL,
        push_id        text COLLATE "C" NOT NULL,
        row_id         text COLLATE "C" NOT NULL,
        reason         text NOT NULL,
        at             timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, destination_id, push_id, row_id),
        FOREIGN KEY (org_id, mode, destination_id, push_id) REFERENCES destinations.pushes ON DELETE CASCADE
      );

      -- Of each destination the push that is next, when it is due: more workers help none that waits.
      CREATE VIEW metrics.due_pushes AS
        SELECT count(*) AS pushes, min(next_at) AS oldest_at FROM (
          SELECT DISTINCT ON (org_id, mode, destination_id) next_at FROM destinations.pushes WHERE ended_at IS NULL
          ORDER BY org_id, mode, destination_id, created_at, id) p
        WHERE next_at <= now();
      ALTER VIEW metrics.queue_load RENAME TO queue_load_but_pushes;
      CREATE VIEW metrics.queue_load AS
        SELECT queue, open_lines, oldest_age_s FROM metrics.queue_load_but_pushes
        UNION ALL
        SELECT 'destination-push', pushes, greatest(0, extract(epoch FROM clock_timestamp() - oldest_at))::float8
        FROM metrics.due_pushes WHERE pushes > 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP VIEW metrics.queue_load;
      ALTER VIEW metrics.queue_load_but_pushes RENAME TO queue_load;
      DROP VIEW metrics.due_pushes;
      DROP SCHEMA destinations CASCADE`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const QUEUE_LOAD = (webhooks: string): string => `
  CREATE OR REPLACE VIEW metrics.queue_load AS
    SELECT 'service-' || lower(regexp_replace(replace(service, 'LinkedIn', 'Linkedin'), '([a-z0-9])([A-Z])', '\\1-\\2', 'g')) AS queue,
      sum(lines)::bigint AS open_lines,
      greatest(0, extract(epoch FROM clock_timestamp() - min(oldest_at)))::float8 AS oldest_age_s
    FROM metrics.open_lines GROUP BY service
    UNION ALL
    SELECT queue, count(*), greatest(0, extract(epoch FROM clock_timestamp() - min(created_at)))::float8
    FROM runs.runs WHERE status IN ('queued', 'running', 'recovering') GROUP BY queue
    UNION ALL
    SELECT 'go-runs', sum(runs)::bigint, greatest(0, extract(epoch FROM clock_timestamp() - min(oldest_at)))::float8
    FROM metrics.active_go_runs HAVING count(*) > 0
    ${webhooks};`;

/** Webhooks: endpoints for events, and the outcome of each delivery. Why deliveries are written with the event: docs/adr/0061. */
export class AddWebhooks1763700000201 implements MigrationInterface {
  readonly name = 'AddWebhooks1763700000201';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA webhooks;
      CREATE TABLE webhooks.endpoints (
        org_id          text COLLATE "C" NOT NULL,
        mode            text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        id              text COLLATE "C" NOT NULL,
        url             text NOT NULL,
        types           text[] NOT NULL,
        description     text,
        status          text COLLATE "C" NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'disabled')),
        -- Why it is disabled.
        reason          text COLLATE "C" CHECK (reason IN ('requested', 'failing', 'gone')),
        sealed_secret   text COLLATE "C" NOT NULL,
        -- The secret before the last rotation, with which messages are signed as well until its time is over.
        previous_secret text COLLATE "C",
        previous_until  timestamptz,
        -- When the first attempt since the last success failed, and how many have.
        failing_since   timestamptz,
        failures        integer NOT NULL DEFAULT 0,
        -- Who sends to it.
        lease_token     text COLLATE "C",
        lease_until     timestamptz,
        queued_at       timestamptz NOT NULL DEFAULT '-infinity',
        created_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, id),
        CHECK ((status = 'disabled') = (reason IS NOT NULL))
      );

      -- No foreign key: with one, each event would lock the webhooks that listen to it.
      CREATE TABLE webhooks.deliveries (
        org_id      text COLLATE "C" NOT NULL,
        mode        text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        endpoint_id text COLLATE "C" NOT NULL,
        -- The time in milliseconds comes first, in hexadecimal digits, so that the list of deliveries has the order of their ids.
        id          text COLLATE "C" NOT NULL DEFAULT 'whd_'
          || lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
          || substr(replace(gen_random_uuid()::text, '-', ''), 1, 14),
        event_id    text COLLATE "C" NOT NULL,
        type        text COLLATE "C" NOT NULL,
        state       text COLLATE "C" NOT NULL DEFAULT 'pending'
          CHECK (state IN ('pending', 'delivered', 'failed', 'cancelled')),
        -- All attempts, and those since it was last asked for.
        attempts    integer NOT NULL DEFAULT 0,
        tries       integer NOT NULL DEFAULT 0,
        next_at     timestamptz DEFAULT clock_timestamp(),
        created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, endpoint_id, id),
        UNIQUE (org_id, mode, endpoint_id, event_id),
        CHECK ((state = 'pending') = (next_at IS NOT NULL))
      );
      CREATE INDEX due_deliveries ON webhooks.deliveries (org_id, mode, endpoint_id, next_at) WHERE state = 'pending';
      CREATE INDEX deliveries_by_age ON webhooks.deliveries (created_at);

      CREATE TABLE webhooks.attempts (
        org_id      text COLLATE "C" NOT NULL,
        mode        text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),
        endpoint_id text COLLATE "C" NOT NULL,
        delivery_id text COLLATE "C" NOT NULL,
        number      integer NOT NULL,
        at          timestamptz NOT NULL,
        duration_ms integer NOT NULL,
        -- Of the answer; null where there was none, and then there is an error.
        status_code integer,
        error       text,
        -- The first 1,024 bytes of the answer.
        answer      text,
        PRIMARY KEY (org_id, mode, endpoint_id, delivery_id, number)
      );

      -- Webhooks that something is to be sent to now, without those that fail: more workers help none of these.
      CREATE VIEW metrics.due_webhooks AS
        SELECT count(DISTINCT (w.org_id, w.mode, w.id)) AS webhooks, min(d.next_at) AS oldest_at
        FROM webhooks.endpoints w
        JOIN webhooks.deliveries d ON d.org_id = w.org_id AND d.mode = w.mode AND d.endpoint_id = w.id
        WHERE w.failing_since IS NULL AND d.state = 'pending' AND d.next_at <= now();
      ${QUEUE_LOAD(`UNION ALL
        SELECT 'webhook-delivery', webhooks, greatest(0, extract(epoch FROM clock_timestamp() - oldest_at))::float8
        FROM metrics.due_webhooks WHERE webhooks > 0`)}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${QUEUE_LOAD('')}
      DROP VIEW metrics.due_webhooks;
      DROP SCHEMA webhooks CASCADE`);
  }
}

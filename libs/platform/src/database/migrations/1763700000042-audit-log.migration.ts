import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The audit log: who did what, for keys, users, grants, limits, exports, deletions and erasures. Rows are only ever
 * added. Each carries a hash over itself and the row before it of its organisation, so that a change behind the
 * database's back shows, unless every later row is written anew; against that helps a hash that was noted elsewhere.
 */
export class AddAuditLog1763700000042 implements MigrationInterface {
  readonly name = 'AddAuditLog1763700000042';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE identity.audit_events (
        org_id     text NOT NULL,
        -- 1, 2, 3 … within the organisation.
        number     bigint NOT NULL CHECK (number > 0),
        at         timestamptz NOT NULL,
        actor_kind text NOT NULL CHECK (actor_kind IN ('key', 'operator')),
        actor_id   text,
        mode       text NOT NULL CHECK (mode IN ('live', 'test')),
        action     text NOT NULL,
        object     text NOT NULL,
        address    text,
        request_id text NOT NULL,
        facts      jsonb NOT NULL,
        hash       bytea NOT NULL CHECK (length(hash) = 32),
        PRIMARY KEY (org_id, number)
      );

      CREATE FUNCTION identity.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER audit_events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON identity.audit_events
        FOR EACH STATEMENT EXECUTE FUNCTION identity.refuse_change();

      -- The hash of an event after the one before it, which is null for the first. Times as text: the column keeps
      -- microseconds, and how it is shown depends on the session.
      CREATE FUNCTION identity.audit_hash(p_event identity.audit_events, p_before bytea) RETURNS bytea LANGUAGE sql STABLE
      RETURN sha256(coalesce(p_before, ''::bytea) || convert_to(jsonb_build_array(
        p_event.org_id, p_event.number, to_char(p_event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), p_event.actor_kind,
        p_event.actor_id, p_event.mode, p_event.action, p_event.object, p_event.address, p_event.request_id, p_event.facts
      )::text, 'UTF8'));

      -- Adds an event behind the last one of its organisation, whose writers take turns until their transactions end.
      CREATE FUNCTION identity.record_audit_event(p_org text, p_actor_kind text, p_actor_id text, p_mode text, p_action text,
        p_object text, p_address text, p_request_id text, p_facts jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE
        v_last identity.audit_events;
        v_event identity.audit_events;
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('identity.audit_events:' || p_org, 0));
        SELECT * INTO v_last FROM identity.audit_events WHERE org_id = p_org ORDER BY number DESC LIMIT 1;
        v_event := ROW(p_org, coalesce(v_last.number, 0) + 1, clock_timestamp(), p_actor_kind, p_actor_id, p_mode, p_action,
          p_object, p_address, p_request_id, p_facts, NULL);
        v_event.hash := identity.audit_hash(v_event, v_last.hash);
        INSERT INTO identity.audit_events SELECT v_event.*;
        RETURN v_event.number;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION identity.record_audit_event(text, text, text, text, text, text, text, text, jsonb);
      DROP FUNCTION identity.audit_hash(identity.audit_events, bytea);
      DROP TABLE identity.audit_events;
      DROP FUNCTION identity.refuse_change();
    `);
  }
}

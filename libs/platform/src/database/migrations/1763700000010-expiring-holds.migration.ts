import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Holds of calls that are answered within the request. A line's hold belongs to a job, which every worker can find
 * and end; the hold of a direct call has nobody after a crash but its own time limit, which stands here. The transfer
 * stays append-only: the end of such a hold is a transfer like any other, a void.
 *
 * Locks are taken in the order expiries, accounts.
 */
export class AddExpiringHolds1763700000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE credits.hold_expiries (
        hold_id text PRIMARY KEY,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX hold_expiries_by_time ON credits.hold_expiries (expires_at);

      -- Places one hold that is void after a time. Out: the hold, or nothing when the balance does not cover it.
      CREATE FUNCTION credits.place_expiring_hold(p_hold jsonb, p_expires_ms integer) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_hold text;
      BEGIN
        IF p_hold ->> 'job_id' IS NOT NULL THEN
          RAISE EXCEPTION 'the hold of a line ends with its job, not by the clock' USING ERRCODE = 'check_violation';
        END IF;
        SELECT placed INTO v_hold FROM credits.place_holds(jsonb_build_array(p_hold)) AS placed;
        IF v_hold IS NULL THEN RETURN; END IF;
        INSERT INTO credits.hold_expiries (hold_id, expires_at)
          VALUES (v_hold, clock_timestamp() + make_interval(secs => p_expires_ms / 1000.0)) ON CONFLICT DO NOTHING;
        RETURN NEXT v_hold;
      END $$;

      -- Takes expiries whose time is over and voids those of their holds that nobody has ended.
      -- Out: every hold that was taken, and whether it was voided.
      CREATE FUNCTION credits.void_expired_holds(p_max integer) RETURNS TABLE (hold text, voided boolean) LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_due text[];
        v_open jsonb;
        v_voided text[] := '{}';
      BEGIN
        WITH due AS (
          SELECT e.hold_id FROM credits.hold_expiries e WHERE e.expires_at < clock_timestamp()
          ORDER BY e.expires_at LIMIT p_max FOR UPDATE SKIP LOCKED
        ), taken AS (
          DELETE FROM credits.hold_expiries e USING due WHERE e.hold_id = due.hold_id RETURNING e.hold_id
        ) SELECT array_agg(taken.hold_id) INTO v_due FROM taken;
        -- A hold that is being posted at this moment is posted or void, never both: it has one resolution.
        SELECT jsonb_agg(jsonb_build_object('id', 'led_' || h.id, 'hold', h.id, 'amount', 0)) INTO v_open
          FROM credits.transfers h
          WHERE h.id = ANY (v_due) AND h.kind = 'hold' AND h.job_id IS NULL
            AND NOT EXISTS (SELECT 1 FROM credits.transfers e WHERE e.hold_id = h.id);
        IF v_open IS NOT NULL THEN v_voided := ARRAY(SELECT credits.resolve_holds(v_open)); END IF;
        RETURN QUERY SELECT due, due = ANY (v_voided) FROM unnest(v_due) AS due;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP FUNCTION credits.void_expired_holds(integer);
      DROP FUNCTION credits.place_expiring_hold(jsonb, integer);
      DROP TABLE credits.hold_expiries;
    `);
  }
}

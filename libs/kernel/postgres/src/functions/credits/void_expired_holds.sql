-- Takes expiries whose time is over and voids those of their holds that nobody has ended.
-- Out: every hold that was taken, and whether it was voided.
CREATE OR REPLACE FUNCTION credits.void_expired_holds(p_max integer) RETURNS TABLE (hold text, voided boolean) LANGUAGE plpgsql
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

-- Places one hold that is void after a time. Out: held, capped or insufficient.
CREATE OR REPLACE FUNCTION credits.judge_expiring_hold(p_hold jsonb, p_expires_ms integer) RETURNS text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_outcome text;
BEGIN
  IF p_hold ->> 'job_id' IS NOT NULL THEN
    RAISE EXCEPTION 'the hold of a line ends with its job, not by the clock' USING ERRCODE = 'check_violation';
  END IF;
  SELECT h.outcome INTO v_outcome FROM credits.judge_holds(jsonb_build_array(p_hold)) h;
  IF v_outcome = 'held' THEN
    INSERT INTO credits.hold_expiries (hold_id, expires_at)
      VALUES (p_hold ->> 'hold', clock_timestamp() + make_interval(secs => p_expires_ms / 1000.0)) ON CONFLICT DO NOTHING;
  END IF;
  RETURN coalesce(v_outcome, 'insufficient');
END $$;

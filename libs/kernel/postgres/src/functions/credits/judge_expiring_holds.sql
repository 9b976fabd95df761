-- Places holds that are void after a time, each judged on what those before it leave. In: as judge_holds, none of a job.
-- Out: as judge_holds.
CREATE OR REPLACE FUNCTION credits.judge_expiring_holds(p_holds jsonb, p_expires_ms integer)
RETURNS TABLE (hold text, outcome text) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  v_held text[];
  v_capped text[];
BEGIN
  IF jsonb_path_exists(p_holds, '$[*].job_id ? (@ != null)') THEN
    RAISE EXCEPTION 'the hold of a line ends with its job, not by the clock' USING ERRCODE = 'check_violation';
  END IF;
  SELECT coalesce(array_agg(h.hold) FILTER (WHERE h.outcome = 'held'), '{}'),
    coalesce(array_agg(h.hold) FILTER (WHERE h.outcome = 'capped'), '{}')
    INTO v_held, v_capped FROM credits.judge_holds(p_holds) h;
  INSERT INTO credits.hold_expiries (hold_id, expires_at)
    SELECT held, clock_timestamp() + make_interval(secs => p_expires_ms / 1000.0) FROM unnest(v_held) AS held
    ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT unnest(v_held), 'held' UNION ALL SELECT unnest(v_capped), 'capped';
END $$;

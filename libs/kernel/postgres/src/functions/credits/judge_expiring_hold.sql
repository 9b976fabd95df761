-- Places one hold that is void after a time. Out: held, capped or insufficient.
CREATE OR REPLACE FUNCTION credits.judge_expiring_hold(p_hold jsonb, p_expires_ms integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN coalesce(
    (SELECT h.outcome FROM credits.judge_expiring_holds(jsonb_build_array(p_hold), p_expires_ms) h), 'insufficient');
END $$;

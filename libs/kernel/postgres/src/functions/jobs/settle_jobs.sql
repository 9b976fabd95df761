-- Ends jobs for the holder of the lease. In: as end_jobs, with token. Out: as end_jobs; a superseded token ends
-- nothing.
CREATE OR REPLACE FUNCTION jobs.settle_jobs(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_owned text[];
  v_tokens text[];
BEGIN
  v_ids := ARRAY(SELECT e ->> 'id' FROM jsonb_array_elements(p_ends) e);
  SELECT array_agg(o.id), array_agg(o.lease_token) INTO v_owned, v_tokens FROM (
    SELECT j.id, j.lease_token FROM jobs.jobs j
    WHERE j.id = ANY (v_ids) AND j.state IN ('queued', 'running') ORDER BY j.id FOR UPDATE) o;
  -- Of the ends of one job only its owner's counts.
  RETURN QUERY SELECT jobs.end_jobs((
    SELECT jsonb_agg(e.value) FROM jsonb_array_elements(p_ends) e (value)
    WHERE e.value ->> 'token' = v_tokens[array_position(v_owned, e.value ->> 'id')]));
END $$;

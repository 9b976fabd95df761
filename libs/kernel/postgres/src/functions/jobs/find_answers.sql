-- Finds the jobs that may answer lines of a list: those that run the same search, and the latest that have ended well
-- within the time of reuse. With p_is_join the running ones are locked, so that none ends before it is joined; the ended
-- ones are looked for after the locks, as a search that ended while they were waited for is an answer by now.
CREATE OR REPLACE FUNCTION jobs.find_answers(p_tenant text[], p_service text, p_share_keys text[], p_reuse_keys text[],
  p_reuse_seconds integer, p_is_join boolean)
RETURNS TABLE (id text, state text, share_key text, reuse_key text, found boolean, deep boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
  IF p_is_join THEN
    RETURN QUERY
      SELECT j.id, j.state, j.share_key, j.reuse_key, false, false FROM jobs.jobs j
      WHERE j.org_id = p_tenant[1] AND j.mode = p_tenant[2] AND j.service = p_service AND j.share_key = ANY (p_share_keys)
        AND j.completed_at IS NULL
      ORDER BY j.id FOR SHARE;
  ELSE
    RETURN QUERY
      SELECT j.id, j.state, j.share_key, j.reuse_key, false, false FROM jobs.jobs j
      WHERE j.org_id = p_tenant[1] AND j.mode = p_tenant[2] AND j.service = p_service AND j.share_key = ANY (p_share_keys)
        AND j.completed_at IS NULL;
  END IF;
  IF cardinality(p_reuse_keys) > 0 THEN
    RETURN QUERY
      SELECT a.id, a.state, a.share_key, a.reuse_key, (a.result ->> 'found')::boolean, coalesce((a.input ->> 'deep')::boolean, false)
      FROM (SELECT DISTINCT unnest(p_reuse_keys)) AS k (reuse_key)
      -- One look-up of each key. Apart from the other conditions, because with them other indexes could serve, which have all
      -- jobs of an organisation or of all; few organisations have looked for the same person.
      CROSS JOIN LATERAL (SELECT * FROM jobs.jobs j
        WHERE j.reuse_key = k.reuse_key
          AND j.completed_at > clock_timestamp() - make_interval(secs => p_reuse_seconds) OFFSET 0) a
      WHERE a.org_id = p_tenant[1] AND a.mode = p_tenant[2] AND a.service = p_service
        AND a.state = 'completed' AND a.emptied_at IS NULL
      ORDER BY a.completed_at DESC;
  END IF;
END $$;

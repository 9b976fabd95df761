-- Ends jobs whose rows the caller has locked: resolves their holds, writes the end, counts down their batches.
-- In: [{id, state, result, error, provider, charge, trail}]. Out: the ids of the jobs that ended, and of the batches that
-- ended with them; a job whose hold does not cover the charge stays as it was.
CREATE OR REPLACE FUNCTION jobs.end_jobs(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_charges bigint[];
  v_settled text[] := '{}';
  v_ends jsonb;
  v_ended text[];
  v_batches text[];
  v_lines integer[];
  v_ended_batches text[];
BEGIN
  IF p_ends IS NULL THEN RETURN; END IF;
  SELECT array_agg(e.id), array_agg(e.charge) INTO v_ids, v_charges
    FROM jsonb_to_recordset(p_ends) AS e (id text, charge bigint);
  SELECT jsonb_agg(jsonb_build_object('id', 'led_' || split_part(j.id, '_', 2), 'hold', j.hold_id, 'amount', v_charges[array_position(v_ids, j.id)]))
    INTO v_ends FROM jobs.jobs j WHERE j.id = ANY (v_ids) AND j.hold_id IS NOT NULL;
  IF v_ends IS NOT NULL THEN v_settled := ARRAY(SELECT credits.resolve_holds(v_ends)); END IF;
  WITH ended AS (
    UPDATE jobs.jobs j
      SET state = e.state, result = e.result, error = e.error, provider = e.provider,
        trail = e.trail,
        completed_at = clock_timestamp(), lease_token = NULL, lease_until = NULL
      FROM jsonb_to_recordset(p_ends) AS e (id text, state text, result jsonb, error jsonb, provider text, charge bigint, trail jsonb)
      WHERE j.id = e.id AND j.id = ANY (v_ids) AND j.state IN ('queued', 'running')
        AND (j.hold_id = ANY (v_settled) OR (j.hold_id IS NULL AND e.charge = 0))
      RETURNING j.id
  ) SELECT coalesce(array_agg(id), '{}') INTO v_ended FROM ended;
  -- Nobody can join or leave a job that is locked here, so its lines stand still.
  SELECT array_agg(n.batch_id), array_agg(n.lines) INTO v_batches, v_lines FROM (
    SELECT l.batch_id, count(*)::integer AS lines FROM jobs.lines l
    WHERE l.job_id = ANY (v_ended) AND l.cancelled_at IS NULL GROUP BY l.batch_id) n;
  PERFORM 1 FROM jobs.batches WHERE id = ANY (v_batches) ORDER BY id FOR UPDATE;
  WITH counted AS (
    UPDATE jobs.batches b
      SET open_lines = b.open_lines - n.lines,
        completed_at = CASE WHEN b.open_lines = n.lines THEN clock_timestamp() END
      FROM unnest(v_batches, v_lines) AS n (batch_id, lines)
      WHERE b.id = n.batch_id AND b.id = ANY (v_batches)
      RETURNING b.id, b.completed_at
  ) SELECT array_agg(id) FILTER (WHERE completed_at IS NOT NULL) INTO v_ended_batches FROM counted;
  RETURN QUERY SELECT unnest(v_ended || v_ended_batches);
END $$;

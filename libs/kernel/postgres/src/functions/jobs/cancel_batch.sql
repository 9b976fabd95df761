-- Ends the lines of a list that have not started. Does nothing when the list is not the tenant's.
CREATE OR REPLACE FUNCTION jobs.cancel_batch(p_org text, p_mode text, p_batch text) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_queued text[];
  v_shared text[];
  v_left integer;
BEGIN
  v_queued := ARRAY(SELECT j.id FROM jobs.jobs j
    WHERE j.id = ANY (ARRAY(SELECT l.job_id FROM jobs.batches b JOIN jobs.lines l ON l.batch_id = b.id
        WHERE b.id = p_batch AND b.org_id = p_org AND b.mode = p_mode AND l.cancelled_at IS NULL))
      AND j.state = 'queued' ORDER BY j.id FOR UPDATE);
  v_shared := ARRAY(SELECT DISTINCT l.job_id FROM jobs.lines l
    WHERE l.job_id = ANY (v_queued) AND l.batch_id <> p_batch AND l.cancelled_at IS NULL);
  PERFORM jobs.end_jobs(coalesce((
    SELECT jsonb_agg(jsonb_build_object('id', id, 'state', 'cancelled', 'charge', 0))
    FROM unnest(v_queued) id WHERE id <> ALL (v_shared)), '[]'));
  PERFORM 1 FROM jobs.batches WHERE id = p_batch FOR UPDATE;
  -- A search that another list waits for goes on; this list leaves it.
  UPDATE jobs.lines SET cancelled_at = clock_timestamp()
    WHERE batch_id = p_batch AND job_id = ANY (v_shared) AND cancelled_at IS NULL;
  GET DIAGNOSTICS v_left = ROW_COUNT;
  UPDATE jobs.batches SET open_lines = open_lines - v_left,
      completed_at = CASE WHEN open_lines = v_left THEN clock_timestamp() ELSE completed_at END
    WHERE id = p_batch AND v_left > 0;
  -- What this list began goes over to the first line that still waits for it. Only while nothing is held: a hold
  -- names its line, and is never changed.
  WITH heirs AS (
    SELECT DISTINCT ON (l.job_id) l.job_id, l.batch_id, l.input_index, b.run_id, b.key_id
    FROM jobs.lines l JOIN jobs.jobs j ON j.id = l.job_id JOIN jobs.batches b ON b.id = l.batch_id
    WHERE l.job_id = ANY (v_shared) AND l.cancelled_at IS NULL AND j.batch_id = p_batch AND j.hold_id IS NULL
    ORDER BY l.job_id, l.batch_id, l.input_index
  ), handed_over AS (
    UPDATE jobs.jobs j SET batch_id = h.batch_id, input_index = h.input_index, run_id = h.run_id, key_id = h.key_id
    FROM heirs h WHERE j.id = h.job_id
  )
  UPDATE jobs.lines l SET reused = false
    FROM heirs h WHERE l.batch_id = h.batch_id AND l.input_index = h.input_index;
END $$;

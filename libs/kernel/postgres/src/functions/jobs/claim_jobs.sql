-- Gives leases, waiting for whoever has a row in hand (that is brief; skipping would lose the delivery).
-- In: [{id, token, hold}]. Out: what the new owner needs of each job that it may work on. A job
-- that has used up its attempts ends as worker_lost, one that the balance does not cover as usage_limit.
-- What a function returns cannot be replaced: the text of before, which gave no traceparent, goes first, in the same transaction.
DROP FUNCTION IF EXISTS jobs.claim_jobs(jsonb, integer, integer, integer);
CREATE OR REPLACE FUNCTION jobs.claim_jobs(p_claims jsonb, p_lease_ms integer, p_attempts_max integer, p_claims_max integer)
RETURNS TABLE (id text, token text, org_id text, mode text, service text, input jsonb, attempt integer, price bigint,
  traceparent text)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  v_ids text[];
  v_tokens text[];
  v_holds text[];
  v_free text[];
  v_lost text[];
  v_wanted jsonb;
  v_paid text[];
  v_capped text[];
  v_unpaid text[] := '{}';
BEGIN
  SELECT array_agg(c.id), array_agg(c.token), array_agg(c.hold) INTO v_ids, v_tokens, v_holds
    FROM jsonb_to_recordset(p_claims) AS c (id text, token text, hold text);
  SELECT array_agg(f.id), array_agg(f.id) FILTER (WHERE f.lost) INTO v_free, v_lost FROM (
    -- Attempts that nobody handed back. A lease that was handed back leaves no token; one that was lost leaves its
    -- own, and whoever lost it may have called.
    SELECT j.id, j.attempt - j.handed_back - (j.is_begun AND j.lease_token IS NULL)::integer >= p_attempts_max
        OR j.claims >= p_claims_max AS lost
    FROM jobs.jobs j
    WHERE j.id = ANY (v_ids)
      AND j.state IN ('queued', 'running') AND (j.lease_until IS NULL OR j.lease_until < clock_timestamp())
    ORDER BY j.id FOR UPDATE) f;
  IF v_free IS NULL THEN RETURN; END IF;
  v_lost := coalesce(v_lost, '{}');
  SELECT jsonb_agg(jsonb_build_object('hold', v_holds[array_position(v_ids, j.id)], 'account', j.org_id || ':' || j.mode,
      'amount', j.price, 'service', j.service, 'batch_id', j.batch_id, 'job_id', j.id, 'input_index', j.input_index,
      'run_id', j.run_id, 'key_id', j.key_id) ORDER BY j.id)
    INTO v_wanted
    FROM jobs.jobs j WHERE j.id = ANY (v_free) AND j.id <> ALL (v_lost) AND j.hold_id IS NULL;
  IF v_wanted IS NOT NULL THEN
    SELECT coalesce(array_agg(h.hold) FILTER (WHERE h.outcome = 'held'), '{}'),
        coalesce(array_agg(h.hold) FILTER (WHERE h.outcome = 'capped'), '{}')
      INTO v_paid, v_capped FROM credits.judge_holds(v_wanted) h;
    v_unpaid := ARRAY(SELECT w.job_id FROM jsonb_to_recordset(v_wanted) AS w (hold text, job_id text)
      WHERE w.hold <> ALL (v_paid));
  END IF;
  IF cardinality(v_lost) + cardinality(v_unpaid) = 0 THEN
    -- Not waited for: a claim that a crash of the server takes back leaves a job that can be claimed. Nobody acts
    -- on a claim before its start is on disk, and that brings the claim with it.
    PERFORM set_config('synchronous_commit', 'off', true);
  ELSE
    PERFORM jobs.end_jobs((
      SELECT jsonb_agg(jsonb_build_object('id', x.id, 'state', 'failed', 'charge', 0, 'error', jsonb_build_object(
        'code', x.code, 'message', x.message)))
      FROM (
        SELECT unnest(v_lost), 'worker_lost', 'The workers on this line were lost.'
        UNION ALL SELECT u.id, 'usage_limit', CASE
            WHEN v_holds[array_position(v_ids, u.id)] = ANY (v_capped) THEN 'A spend cap does not leave room for this line.'
            ELSE 'The balance does not cover this line.' END
          FROM unnest(v_unpaid) u (id)
      ) x (id, code, message)));
  END IF;
  RETURN QUERY
    UPDATE jobs.jobs j
      SET lease_token = c.token, lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0),
        claims = j.claims + 1, hold_id = coalesce(j.hold_id, c.hold), is_begun = j.is_begun AND j.lease_token IS NULL
      FROM unnest(v_ids, v_tokens, v_holds) AS c (id, token, hold)
      WHERE j.id = c.id AND j.id = ANY (v_free) AND j.state IN ('queued', 'running')
      RETURNING j.id, c.token, j.org_id, j.mode, j.service, j.input, j.attempt, j.price, j.traceparent;
END $$;

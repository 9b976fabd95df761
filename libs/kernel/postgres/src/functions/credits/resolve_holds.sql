-- Ends holds: amount > 0 posts it and frees the rest, 0 voids. In: [{id, hold, amount}].
-- Out: the holds that this call ended, and those ended before with the same amount (a retry). A hold that is
-- unknown, ended otherwise, or smaller than the amount is left as it is and not returned.
CREATE OR REPLACE FUNCTION credits.resolve_holds(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_holds text[];
  v_amounts bigint[];
  v_accounts text[];
  v_found text[];
  v_held bigint[];
  v_days date[];
  v_new text[];
BEGIN
  SELECT array_agg(e.id), array_agg(e.hold), array_agg(e.amount) INTO v_ids, v_holds, v_amounts
    FROM jsonb_to_recordset(p_ends) AS e (id text, hold text, amount bigint);
  v_accounts := ARRAY(SELECT DISTINCT t.account_id FROM credits.transfers t WHERE t.id = ANY (v_holds));
  PERFORM 1 FROM credits.accounts WHERE id = ANY (v_accounts) ORDER BY id FOR UPDATE;
  SELECT array_agg(t.id), array_agg(t.amount), array_agg(credits.utc_day(t.at)) INTO v_found, v_held, v_days
    FROM credits.transfers t WHERE t.id = ANY (v_holds) AND t.kind = 'hold';
  WITH new AS (
    INSERT INTO credits.transfers (id, account_id, kind, amount, hold_id, service, batch_id, job_id, input_index, run_id, key_id)
      SELECT e.id, t.account_id, CASE WHEN e.amount = 0 THEN 'void' ELSE 'post' END, e.amount, t.id,
        t.service, t.batch_id, t.job_id, t.input_index, t.run_id, t.key_id
      FROM unnest(v_ids, v_holds, v_amounts) AS e (id, hold, amount)
      JOIN credits.transfers t ON t.id = e.hold AND t.kind = 'hold'
      WHERE t.id = ANY (v_holds) AND e.amount >= 0 AND e.amount <= t.amount
    ON CONFLICT DO NOTHING
    RETURNING hold_id, account_id, key_id, amount
  ), moved AS (
    UPDATE credits.accounts a
      SET reserved = a.reserved - s.held, available = a.available + s.held - s.posted, spent = a.spent + s.posted,
        updated_at = clock_timestamp()
      FROM (
        SELECT n.account_id, sum(v_held[array_position(v_found, n.hold_id)])::bigint AS held, sum(n.amount)::bigint AS posted
        FROM new n GROUP BY n.account_id
      ) s
      WHERE a.id = s.account_id AND a.id = ANY (v_accounts)
  ), unused AS (
    -- On the day of the hold: what it did not cost was not used. A hold of before the counters has no key.
    UPDATE credits.usage u SET used = u.used - s.freed
      FROM (
        SELECT n.account_id, n.key_id, v_days[array_position(v_found, n.hold_id)] AS day,
          sum(v_held[array_position(v_found, n.hold_id)] - n.amount)::bigint AS freed
        FROM new n WHERE n.key_id IS NOT NULL GROUP BY 1, 2, 3
      ) s
      WHERE s.freed > 0 AND u.account_id = ANY (v_accounts) AND u.account_id = s.account_id AND u.day = s.day AND u.key_id = s.key_id
  ) SELECT coalesce(array_agg(hold_id), '{}') INTO v_new FROM new;
  RETURN QUERY SELECT unnest(v_new);
  IF cardinality(v_new) < cardinality(v_holds) THEN
    RETURN QUERY
      SELECT p.hold_id FROM unnest(v_holds, v_amounts) AS e (hold, amount)
      JOIN credits.transfers p ON p.hold_id = e.hold AND p.amount = e.amount
      WHERE p.hold_id = ANY (v_holds) AND e.hold <> ALL (v_new);
  END IF;
END $$;

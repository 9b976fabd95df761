-- Places holds in the order given, each judged on what those before it leave of the balance and of the caps.
-- In: [{hold, account, amount, service, batch_id, job_id, input_index, run_id, key_id}]. Out: the holds that stand,
-- as held, and those that the balance covers and a cap refuses, as capped; what is left out is not covered.
CREATE OR REPLACE FUNCTION credits.judge_holds(p_holds jsonb) RETURNS TABLE (hold text, outcome text) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  v_holds text[];
  v_accounts text[];
  v_keys text[];
  v_amounts bigint[];
  v_known text[];
  v_placed text[] := '{}';
  v_places bigint[] := '{}';
  v_account text;
  v_left bigint;
  v_is_capped boolean;
  v_capped text[] := '{}';
  v_room bigint;
  v_rooms jsonb;
  v_now timestamptz;
  r record;
BEGIN
  SELECT array_agg(h.hold), array_agg(h.account), array_agg(coalesce(h.key_id, '')), array_agg(h.amount)
    INTO v_holds, v_accounts, v_keys, v_amounts
    FROM jsonb_to_recordset(p_holds) AS h (hold text, account text, key_id text, amount bigint);
  -- In the order of their ids, so that two groups never wait for each other.
  PERFORM 1 FROM credits.accounts WHERE id = ANY (v_accounts) ORDER BY id FOR UPDATE;
  -- A hold that stands already keeps standing, whatever the balance is by now.
  v_known := ARRAY(SELECT t.id FROM credits.transfers t WHERE t.id = ANY (v_holds) AND t.kind = 'hold');
  -- Behind the locks, so that a hold that waited for them over midnight counts on the day on which it stands.
  v_now := clock_timestamp();
  FOR r IN
    SELECT h.hold, h.account, h.key_id, h.amount, h.place
    FROM unnest(v_holds, v_accounts, v_keys, v_amounts) WITH ORDINALITY AS h (hold, account, key_id, amount, place)
    ORDER BY h.account, h.place
  LOOP
    IF v_account IS DISTINCT FROM r.account THEN
      v_account := r.account;
      SELECT available, capped INTO v_left, v_is_capped FROM credits.accounts WHERE id = v_account;
      IF v_is_capped THEN
        v_room := credits.room_under_caps(v_account, '', v_now);
        v_rooms := '{}';
      END IF;
    END IF;
    -- Nothing is placed on an account that does not exist: what is left there is null.
    IF r.amount >= 0 AND r.amount <= v_left AND r.hold <> ALL (v_known) AND r.hold <> ALL (v_placed) THEN
      IF v_is_capped THEN
        IF r.key_id <> '' AND NOT v_rooms ? r.key_id THEN
          v_rooms := v_rooms || jsonb_build_object(r.key_id, credits.room_under_caps(v_account, r.key_id, v_now));
        END IF;
        -- Where there is no cap, the room is null and refuses nothing.
        IF r.amount > v_room OR r.amount > (v_rooms ->> r.key_id)::bigint THEN
          v_capped := v_capped || r.hold;
          CONTINUE;
        END IF;
        v_room := v_room - r.amount;
        IF r.key_id <> '' THEN
          v_rooms := v_rooms || jsonb_build_object(r.key_id, (v_rooms ->> r.key_id)::bigint - r.amount);
        END IF;
      END IF;
      v_left := v_left - r.amount;
      v_placed := v_placed || r.hold;
      v_places := v_places || r.place;
    END IF;
  END LOOP;
  INSERT INTO credits.transfers (id, account_id, kind, amount, service, batch_id, job_id, input_index, run_id, key_id, at)
    SELECT h.hold, h.account, 'hold', h.amount, h.service, h.batch_id, h.job_id, h.input_index, h.run_id, coalesce(h.key_id, ''), v_now
    FROM ROWS FROM (jsonb_to_recordset(p_holds) AS (hold text, account text, amount bigint, service text,
      batch_id text, job_id text, input_index integer, run_id text, key_id text)) WITH ORDINALITY
      AS h (hold, account, amount, service, batch_id, job_id, input_index, run_id, key_id, place)
    WHERE h.place = ANY (v_places);
  UPDATE credits.accounts a
    SET available = a.available - s.amount, reserved = a.reserved + s.amount, updated_at = clock_timestamp()
    FROM (SELECT h.account, sum(h.amount)::bigint AS amount
      FROM unnest(v_accounts, v_amounts) WITH ORDINALITY AS h (account, amount, place)
      WHERE h.place = ANY (v_places) GROUP BY h.account) s
    WHERE a.id = s.account AND a.id = ANY (v_accounts);
  IF v_places <> '{}' THEN
    INSERT INTO credits.usage AS u (account_id, day, key_id, used)
      SELECT h.account, credits.utc_day(v_now), h.key_id, sum(h.amount)::bigint
      FROM unnest(v_accounts, v_keys, v_amounts) WITH ORDINALITY AS h (account, key_id, amount, place)
      WHERE h.place = ANY (v_places) GROUP BY h.account, h.key_id
      ON CONFLICT (account_id, day, key_id) DO UPDATE SET used = u.used + excluded.used;
  END IF;
  RETURN QUERY SELECT unnest(v_placed || v_known), 'held' UNION ALL SELECT unnest(v_capped), 'capped';
END $$;

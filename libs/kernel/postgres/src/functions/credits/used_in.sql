-- What was used in the day or month of a time: by one key, or by the organisation when the key is empty.
CREATE OR REPLACE FUNCTION credits.used_in(p_account text, p_key text, p_period text, p_at timestamptz) RETURNS bigint LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT coalesce(sum(u.used), 0)::bigint FROM credits.usage u
    WHERE u.account_id = p_account AND (p_key = '' OR u.key_id = p_key)
      AND u.day BETWEEN date_trunc(p_period, p_at AT TIME ZONE 'UTC')::date AND credits.utc_day(p_at);
END;

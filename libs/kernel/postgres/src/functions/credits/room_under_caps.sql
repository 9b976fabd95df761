-- What the caps of a key, or of the organisation when it is empty, leave at a time; null when there is none.
CREATE OR REPLACE FUNCTION credits.room_under_caps(p_account text, p_key text, p_at timestamptz) RETURNS bigint LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT min(c.amount - credits.used_in(p_account, p_key, c.period, p_at)) FROM credits.caps c
    WHERE c.account_id = p_account AND c.key_id = p_key;
END;

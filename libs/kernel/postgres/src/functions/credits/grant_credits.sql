-- Adds to what an account was granted. The same id again changes nothing.
CREATE OR REPLACE FUNCTION credits.grant_credits(p_id text, p_account text, p_org text, p_mode text, p_amount bigint, p_kind text, p_reason text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO credits.accounts (id, org_id, mode) VALUES (p_account, p_org, p_mode) ON CONFLICT (id) DO NOTHING;
  PERFORM 1 FROM credits.accounts WHERE id = p_account FOR UPDATE;
  INSERT INTO credits.transfers (id, account_id, kind, amount, reason)
    VALUES (p_id, p_account, p_kind, p_amount, p_reason) ON CONFLICT (id) DO NOTHING;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE credits.accounts SET granted = granted + p_amount, available = available + p_amount, updated_at = clock_timestamp()
    WHERE id = p_account;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION credits.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'transfers are append-only' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER transfers_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credits.transfers
  FOR EACH STATEMENT EXECUTE FUNCTION credits.refuse_change();

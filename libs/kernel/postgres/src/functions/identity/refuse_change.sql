CREATE OR REPLACE FUNCTION identity.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER audit_events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON identity.audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION identity.refuse_change();

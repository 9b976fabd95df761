-- That a file can be fetched.
CREATE OR REPLACE FUNCTION events.record_export() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.id, 'export.created', jsonb_strip_nulls(jsonb_build_object(
    'export_id', NEW.id, 'workspace_id', NEW.workspace_id, 'run_id', NEW.run_id, 'table_id', NEW.table_id,
    'format', NEW.format, 'links', jsonb_build_object('self', '/v1/exports/' || NEW.id))));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER exports_are_events AFTER INSERT ON tables.exports
  FOR EACH ROW EXECUTE FUNCTION events.record_export();

-- That rows came to a table of a run that is at work, twice a second at most: its end says how many there are.
CREATE OR REPLACE FUNCTION events.record_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(r.org_id, r.mode, r.id, 'run.rows', jsonb_build_object(
      'run_id', r.id, 'table_id', NEW.id, 'added', NEW.row_count - OLD.row_count, 'total', NEW.row_count,
      'links', jsonb_build_object('self', '/v1/runs/' || r.id, 'rows', '/v1/tables/' || NEW.id || '/rows')),
      interval '500 milliseconds')
    FROM runs.runs r
    WHERE r.status IN ('queued', 'running', 'recovering') AND r.org_id = NEW.org_id AND r.workspace_id = NEW.workspace_id
      AND r.artifacts @> jsonb_build_array(jsonb_build_object('id', NEW.id));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER rows_are_events AFTER UPDATE OF row_count ON tables.tables
  FOR EACH ROW WHEN (NEW.row_count > OLD.row_count) EXECUTE FUNCTION events.record_rows();

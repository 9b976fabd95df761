-- Events of a run: that it began, lost its worker, and how it ended; before its end the rows that no event has told of.
CREATE OR REPLACE FUNCTION events.record_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A worker that goes on with a run is no news: it was told that the run recovers.
  IF NEW.status = 'queued' OR (NEW.status = 'running' AND OLD.status <> 'queued') THEN RETURN NULL; END IF;
  IF NEW.status IN ('completed', 'failed', 'cancelled') THEN
    PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.id, 'run.rows', last.data || jsonb_build_object(
        'added', t.row_count - (last.data ->> 'total')::integer, 'total', t.row_count))
      FROM (SELECT DISTINCT ON (e.data ->> 'table_id') e.data FROM events.events e
        WHERE e.org_id = NEW.org_id AND e.mode = NEW.mode AND e.subject = NEW.id AND e.type = 'run.rows'
        ORDER BY e.data ->> 'table_id', e.seq DESC) last
      JOIN tables.tables t ON t.org_id = NEW.org_id AND t.mode = NEW.mode AND t.id = last.data ->> 'table_id'
      WHERE t.row_count > (last.data ->> 'total')::integer;
  END IF;
  PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.id,
    'run.' || CASE NEW.status WHEN 'running' THEN 'started' ELSE NEW.status END,
    jsonb_strip_nulls(jsonb_build_object(
      'run_id', NEW.id, 'workspace_id', NEW.workspace_id, 'conversation_id', NEW.conversation_id,
      'status', NEW.status, 'error_code', NEW.error ->> 'code',
      'links', jsonb_build_object('self', '/v1/runs/' || NEW.id, 'steps', '/v1/runs/' || NEW.id || '/steps'))));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER runs_are_events AFTER UPDATE OF status ON runs.runs
  FOR EACH ROW WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION events.record_run();

-- That rows came to a table of a run that is at work: how many since the last such event, for each table twice a second at most.
-- Those that come after the last one are told by the end of the run (events.record_run).
CREATE OR REPLACE FUNCTION events.record_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(r.org_id, r.mode, r.id, 'run.rows', jsonb_build_object(
      'run_id', r.id, 'table_id', NEW.id, 'added', NEW.row_count - coalesce(last.total, OLD.row_count), 'total', NEW.row_count,
      'links', jsonb_build_object('self', '/v1/runs/' || r.id, 'rows', '/v1/tables/' || NEW.id || '/rows')))
    FROM runs.runs r LEFT JOIN LATERAL (
      SELECT (e.data ->> 'total')::integer AS total, e.at FROM events.events e
      WHERE e.org_id = r.org_id AND e.mode = r.mode AND e.subject = r.id AND e.type = 'run.rows' AND e.data ->> 'table_id' = NEW.id
      ORDER BY e.seq DESC LIMIT 1) last ON true
    WHERE r.status IN ('queued', 'running', 'recovering') AND r.org_id = NEW.org_id AND r.workspace_id = NEW.workspace_id
      AND r.artifacts @> jsonb_build_array(jsonb_build_object('id', NEW.id))
      AND (last.at IS NULL OR last.total < NEW.row_count AND last.at <= clock_timestamp() - interval '500 milliseconds');
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER rows_are_events AFTER UPDATE OF row_count ON tables.tables
  FOR EACH ROW WHEN (NEW.row_count > OLD.row_count) EXECUTE FUNCTION events.record_rows();

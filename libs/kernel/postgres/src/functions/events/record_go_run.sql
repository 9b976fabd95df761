-- How a Go run ended.
CREATE OR REPLACE FUNCTION events.record_go_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.id, 'go.' || NEW.status, jsonb_build_object(
    'run_id', NEW.id, 'status', NEW.status, 'stop_reason', NEW.stop_reason, 'charged', trim_scale(NEW.charged::numeric / 1000),
    'links', jsonb_build_object('self', '/v1/go/runs/' || NEW.id)));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER go_runs_are_events AFTER UPDATE OF ended_at ON go.runs
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION events.record_go_run();

-- That a step of a Go run is done.
CREATE OR REPLACE FUNCTION events.record_go_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(r.org_id, r.mode, r.id, 'go.step', jsonb_build_object(
      'run_id', r.id, 'position', NEW.position, 'charged', trim_scale(NEW.cost::numeric / 1000),
      'links', jsonb_build_object('self', '/v1/go/runs/' || r.id)))
    FROM go.runs r WHERE r.id = NEW.run_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER go_steps_are_events AFTER UPDATE OF finished_at ON go.steps
  FOR EACH ROW WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL) EXECUTE FUNCTION events.record_go_step();

-- That a step of a run is done.
CREATE OR REPLACE FUNCTION events.record_run_step() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(r.org_id, r.mode, r.id, 'run.step', jsonb_build_object(
      'run_id', r.id, 'step', NEW.name, 'position', NEW.position,
      'links', jsonb_build_object('self', '/v1/runs/' || r.id, 'steps', '/v1/runs/' || r.id || '/steps')))
    FROM runs.runs r WHERE r.id = NEW.run_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER steps_are_events AFTER UPDATE OF finished_at ON runs.steps
  FOR EACH ROW WHEN (OLD.finished_at IS NULL AND NEW.finished_at IS NOT NULL) EXECUTE FUNCTION events.record_run_step();

-- Events of a batch: how many lines are left, once a second at most, and that none is. There is none for each line: a hundred
-- lines would wait a hundred times for the number of their batch.
CREATE OR REPLACE FUNCTION events.record_batch() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_is_completed boolean := NEW.completed_at IS NOT NULL;
BEGIN
  PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.id,
    CASE WHEN v_is_completed THEN 'batch.completed' ELSE 'batch.progress' END,
    jsonb_strip_nulls(jsonb_build_object(
      'batch_id', NEW.id, 'service', NEW.service, 'run_id', NEW.run_id,
      'lines', NEW.size, 'open_lines', NEW.open_lines,
      'links', jsonb_build_object('self', '/v1/services/jobs/batch/' || NEW.id))),
    CASE WHEN NOT v_is_completed THEN interval '1 second' END);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER batches_are_events AFTER UPDATE OF open_lines ON jobs.batches
  FOR EACH ROW WHEN (OLD.open_lines <> NEW.open_lines AND OLD.completed_at IS NULL) EXECUTE FUNCTION events.record_batch();

CREATE OR REPLACE TRIGGER answered_batches_are_events AFTER INSERT ON jobs.batches
  FOR EACH ROW WHEN (NEW.completed_at IS NOT NULL) EXECUTE FUNCTION events.record_batch();

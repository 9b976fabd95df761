-- Monitors that are paused since the balance did not cover a row go on after a top-up: with their next date, or with one that has
-- passed in the meantime as after a downtime. What the balance covers then is judged at that date.
CREATE OR REPLACE FUNCTION runs.resume_monitors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE runs.monitors SET status = 'active', pause_reason = NULL
    WHERE org_id = NEW.org_id AND mode = NEW.mode AND status = 'paused' AND pause_reason = 'credits';
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER grants_resume_monitors AFTER UPDATE OF granted ON credits.accounts
  FOR EACH ROW WHEN (NEW.granted > OLD.granted) EXECUTE FUNCTION runs.resume_monitors();

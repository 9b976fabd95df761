-- That what can be spent fell below 100 credits, or below a tenth of one, for which nothing is sold. Holds move it up and down, so
-- each is told once an hour at most.
CREATE OR REPLACE FUNCTION events.record_credits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_type text := CASE WHEN NEW.available < 100 THEN 'credits.exhausted' ELSE 'credits.low' END;
BEGIN
  IF EXISTS (SELECT FROM events.events e JOIN events.subjects s
    ON s.org_id = e.org_id AND s.mode = e.mode AND s.subject = e.subject AND e.seq > s.last_seq - 2
    WHERE e.org_id = NEW.org_id AND e.mode = NEW.mode AND e.subject = NEW.org_id AND e.type = v_type
      AND e.at > clock_timestamp() - interval '1 hour')
  THEN RETURN NULL; END IF;
  PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.org_id, v_type, jsonb_build_object(
    'remaining', trim_scale(NEW.available::numeric / 1000), 'reserved', trim_scale(NEW.reserved::numeric / 1000),
    'links', jsonb_build_object('self', '/credits')));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER credits_are_events AFTER UPDATE OF available ON credits.accounts
  FOR EACH ROW WHEN (OLD.available >= 100000 AND NEW.available < 100000 OR OLD.available >= 100 AND NEW.available < 100)
  EXECUTE FUNCTION events.record_credits();

-- A webhook that is disabled is sent nothing more: what it has missed is asked for by a replay.
CREATE OR REPLACE FUNCTION webhooks.cancel_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE webhooks.deliveries SET state = 'cancelled', next_at = NULL
    WHERE org_id = NEW.org_id AND mode = NEW.mode AND endpoint_id = NEW.id AND state = 'pending';
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER disabled_webhooks_are_silent AFTER UPDATE OF status ON webhooks.endpoints
  FOR EACH ROW WHEN (OLD.status = 'active' AND NEW.status = 'disabled') EXECUTE FUNCTION webhooks.cancel_deliveries();

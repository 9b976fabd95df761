-- That a webhook is disabled. Other webhooks of the organisation may listen to it.
CREATE OR REPLACE FUNCTION events.record_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.id, 'webhook.disabled', jsonb_build_object(
    'webhook_id', NEW.id, 'status', NEW.status, 'reason', NEW.reason,
    'links', jsonb_build_object('self', '/v1/webhooks/' || NEW.id)));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER webhooks_are_events AFTER UPDATE OF status ON webhooks.endpoints
  FOR EACH ROW WHEN (OLD.status = 'active' AND NEW.status = 'disabled') EXECUTE FUNCTION events.record_webhook();

-- That somebody in a sequence has answered, or cannot be reached.
CREATE OR REPLACE FUNCTION events.record_enrollment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.sequence_id, 'sequence.' || NEW.status, jsonb_strip_nulls(
    jsonb_build_object('sequence_id', NEW.sequence_id, 'enrollment_id', NEW.id, 'reason', NEW.reason, 'thread_id', NEW.thread_id,
      'links', jsonb_build_object('self', '/v1/sequences/' || NEW.sequence_id,
        'thread', '/v1/inbox/threads/' || NEW.thread_id))));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER enrollments_are_events AFTER UPDATE OF status ON outreach.enrollments
  FOR EACH ROW WHEN (OLD.status <> NEW.status AND NEW.status IN ('replied', 'bounced'))
  EXECUTE FUNCTION events.record_enrollment();

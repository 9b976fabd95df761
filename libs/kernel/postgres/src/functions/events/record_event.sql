-- Writes an event into the log, in the transaction of what it tells of, with a delivery for each webhook that listens to it.
-- Events of one subject are numbered without gaps: whoever writes the next one waits for the end of the transaction that
-- wrote the last. With p_every nothing is written while the last event of the subject is younger than that.
CREATE OR REPLACE FUNCTION events.record_event(p_org text, p_mode text, p_subject text, p_type text, p_data jsonb,
  p_every interval DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_seq bigint;
  v_id text;
BEGIN
  IF p_every IS NOT NULL AND EXISTS (
    SELECT FROM events.subjects s WHERE s.org_id = p_org AND s.mode = p_mode AND s.subject = p_subject
      AND s.last_at > clock_timestamp() - p_every)
  THEN RETURN; END IF;
  INSERT INTO events.subjects AS s (org_id, mode, subject, last_seq) VALUES (p_org, p_mode, p_subject, 1)
    ON CONFLICT (org_id, mode, subject) DO UPDATE SET last_seq = s.last_seq + 1, last_at = clock_timestamp()
    RETURNING s.last_seq INTO v_seq;
  v_id := events.new_id('evt');
  -- The feed goes by transactions, and this one may have begun before the one that wrote the last event of the subject.
  INSERT INTO events.events (org_id, mode, id, subject, seq, type, data, xid)
    VALUES (p_org, p_mode, v_id, p_subject, v_seq, p_type, p_data, greatest(pg_current_xact_id(), (SELECT e.xid
      FROM events.events e WHERE e.org_id = p_org AND e.mode = p_mode AND e.subject = p_subject AND e.seq = v_seq - 1)));
  -- Most organisations have none: a look is cheaper than an insert of nothing.
  IF EXISTS (SELECT FROM webhooks.endpoints w WHERE w.org_id = p_org AND w.mode = p_mode) THEN
    INSERT INTO webhooks.deliveries (org_id, mode, endpoint_id, id, event_id, type)
      SELECT p_org, p_mode, w.id, events.new_id('whd'), v_id, p_type FROM webhooks.endpoints w
      WHERE w.org_id = p_org AND w.mode = p_mode
        AND CASE p_type WHEN 'webhook.test' THEN w.id = p_subject ELSE w.status = 'active' AND p_type = ANY (w.types) END;
  END IF;
END $$;

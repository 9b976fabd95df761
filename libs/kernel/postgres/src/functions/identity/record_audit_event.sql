-- Adds an event behind the last one of its organisation, whose writers take turns until their transactions end.
CREATE OR REPLACE FUNCTION identity.record_audit_event(p_org text, p_actor_kind text, p_actor_id text, p_mode text, p_action text,
  p_object text, p_address text, p_request_id text, p_facts jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_last identity.audit_events;
  v_event identity.audit_events;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('identity.audit_events:' || p_org, 0));
  SELECT * INTO v_last FROM identity.audit_events WHERE org_id = p_org ORDER BY number DESC LIMIT 1;
  v_event := ROW(p_org, coalesce(v_last.number, 0) + 1, clock_timestamp(), p_actor_kind, p_actor_id, p_mode, p_action,
    p_object, p_address, p_request_id, p_facts, NULL);
  v_event.hash := identity.audit_hash(v_event, v_last.hash);
  INSERT INTO identity.audit_events SELECT v_event.*;
  RETURN v_event.number;
END $$;

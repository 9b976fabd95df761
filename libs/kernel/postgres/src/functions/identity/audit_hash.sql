-- The hash of an event after the one before it, which is null for the first. Times as text: the column keeps
-- microseconds, and how it is shown depends on the session.
CREATE OR REPLACE FUNCTION identity.audit_hash(p_event identity.audit_events, p_before bytea) RETURNS bytea LANGUAGE sql STABLE
RETURN sha256(coalesce(p_before, ''::bytea) || convert_to(jsonb_build_array(
  p_event.org_id, p_event.number, to_char(p_event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), p_event.actor_kind,
  p_event.actor_id, p_event.mode, p_event.action, p_event.object, p_event.address, p_event.request_id, p_event.facts
)::text, 'UTF8'));

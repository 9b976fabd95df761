-- Events of a monitor: how a run of it has ended, and that it is paused. The charge is also called `credits`, as in version 0.2.
CREATE OR REPLACE FUNCTION events.record_monitor() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'monitors' THEN
    PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.id, 'monitor.paused', jsonb_build_object(
      'monitor_id', NEW.id, 'status', NEW.status, 'reason', NEW.pause_reason,
      'links', jsonb_build_object('self', '/v1/monitors/' || NEW.id)));
  ELSE
    PERFORM events.record_event(NEW.org_id, NEW.mode, NEW.monitor_id, 'monitor.run.' || NEW.status, jsonb_build_object(
      'monitor_id', NEW.monitor_id, 'run_id', NEW.run_id, 'status', NEW.status,
      'new', CASE WHEN NEW.is_silent THEN 0 ELSE NEW.new_rows END, 'updated', NEW.updated_rows,
      'known', NEW.known_rows,
      'charged', trim_scale(NEW.charged::numeric / 1000), 'credits', trim_scale(NEW.charged::numeric / 1000),
      'links', jsonb_build_object('self', '/v1/monitors/' || NEW.monitor_id,
        'items', '/v1/monitors/' || NEW.monitor_id || '/items', 'run', '/v1/runs/' || NEW.run_id)));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER monitors_are_events AFTER UPDATE OF status ON runs.monitors
  FOR EACH ROW WHEN (OLD.status = 'active' AND NEW.status = 'paused') EXECUTE FUNCTION events.record_monitor();

CREATE OR REPLACE TRIGGER monitor_runs_are_events AFTER UPDATE OF status ON runs.monitor_runs
  FOR EACH ROW WHEN (OLD.status = 'working' AND NEW.status IN ('completed', 'failed')) EXECUTE FUNCTION events.record_monitor();

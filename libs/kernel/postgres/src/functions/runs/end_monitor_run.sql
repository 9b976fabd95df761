-- The end of a monitor's run: how it ended and what it has cost, and a pause where access is gone or three runs have failed.
CREATE OR REPLACE FUNCTION runs.end_monitor_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE runs.monitor_runs m SET status = NEW.status, ended_at = NEW.ended_at,
      charged = coalesce((SELECT sum(t.amount) FROM credits.transfers t
        WHERE t.account_id = NEW.org_id || ':' || NEW.mode AND t.kind = 'post' AND t.run_id = NEW.id
          AND t.at >= NEW.created_at), 0)
    WHERE m.org_id = NEW.org_id AND m.mode = NEW.mode AND m.monitor_id = NEW.monitor_id AND m.run_id = NEW.id;
  UPDATE runs.monitors m SET
      failures = CASE NEW.status WHEN 'completed' THEN 0 WHEN 'failed' THEN m.failures + 1 ELSE m.failures END,
      status = CASE WHEN p.reason IS NULL THEN m.status ELSE 'paused' END,
      pause_reason = coalesce(m.pause_reason, p.reason)
    FROM (SELECT m.id, CASE
        WHEN NEW.error ->> 'code' = 'run_access_revoked' AND EXISTS (SELECT FROM tables.open_workspaces w
          WHERE w.org_id = m.org_id AND w.mode = m.mode AND w.id = m.workspace_id) THEN 'key_revoked'
        WHEN NEW.error ->> 'code' = 'run_access_revoked' THEN 'workspace_archived'
        WHEN NEW.status = 'failed' AND m.failures >= 2 THEN 'failures' END AS reason
      FROM runs.monitors m WHERE m.org_id = NEW.org_id AND m.mode = NEW.mode AND m.id = NEW.monitor_id FOR UPDATE) p
    WHERE m.org_id = NEW.org_id AND m.mode = NEW.mode AND m.id = p.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER runs_end_monitor_runs AFTER UPDATE OF ended_at ON runs.runs
  FOR EACH ROW WHEN (NEW.monitor_id IS NOT NULL AND OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL)
  EXECUTE FUNCTION runs.end_monitor_run();

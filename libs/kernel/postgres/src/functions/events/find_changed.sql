-- Returns those of the organisations that have an event of transaction p_since or later. The serving role sees the rows of
-- one organisation at a time, so the function looks at each in its own scope, and restores that of its caller.
CREATE OR REPLACE FUNCTION events.find_changed(p_orgs text[], p_since xid8) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  v_scope text := current_setting('app.org_id', true);
  v_org text;
  v_changed text[] := '{}';
BEGIN
  FOREACH v_org IN ARRAY p_orgs LOOP
    PERFORM set_config('app.org_id', v_org, true);
    IF EXISTS (SELECT FROM events.events e
        WHERE e.org_id = v_org AND e.mode = ANY ('{live,test}') AND e.xid >= p_since) THEN
      v_changed := v_changed || v_org;
    END IF;
  END LOOP;
  PERFORM set_config('app.org_id', coalesce(v_scope, ''), true);
  RETURN v_changed;
END $$;

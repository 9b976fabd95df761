-- Events of an enrichment: that steps are done, once a second at most, and that it has ended.
CREATE OR REPLACE FUNCTION events.record_enrichment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM events.record_event(e.org_id, e.mode, e.id,
      CASE WHEN e.ended_at IS NULL THEN 'enrichment.progress' ELSE 'enrichment.completed' END,
      jsonb_build_object('enrichment_id', e.id, 'table_id', e.table_id, 'status', e.status,
        'rows', cardinality(e.row_ids), 'links', jsonb_build_object('self', '/v1/enrichments/' || e.id)),
      CASE WHEN e.ended_at IS NULL THEN interval '1 second' END)
    FROM runs.enrichments e
    WHERE e.id = CASE TG_TABLE_NAME WHEN 'enrichments' THEN to_jsonb(NEW) ->> 'id' ELSE to_jsonb(NEW) ->> 'enrichment_id' END;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER enrichments_are_events AFTER UPDATE OF ended_at ON runs.enrichments
  FOR EACH ROW WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL) EXECUTE FUNCTION events.record_enrichment();

CREATE OR REPLACE TRIGGER enrichment_steps_are_events AFTER UPDATE OF result ON runs.enrichment_steps
  FOR EACH ROW WHEN (OLD.result IS NULL AND NEW.result IS NOT NULL) EXECUTE FUNCTION events.record_enrichment();

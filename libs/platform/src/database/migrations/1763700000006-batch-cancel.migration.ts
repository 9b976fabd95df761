import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Ends the lines of a list that have not started. */
export class AddBatchCancel1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE FUNCTION jobs.cancel_batch(p_org text, p_batch text) RETURNS void LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_queued text[];
        v_shared text[];
        v_left integer;
      BEGIN
        v_queued := ARRAY(SELECT j.id FROM jobs.jobs j
          WHERE j.id = ANY (ARRAY(SELECT l.job_id FROM jobs.lines l
              WHERE l.batch_id = p_batch AND l.org_id = p_org AND l.cancelled_at IS NULL))
            AND j.state = 'queued' ORDER BY j.id FOR UPDATE);
        v_shared := ARRAY(SELECT DISTINCT l.job_id FROM jobs.lines l
          WHERE l.job_id = ANY (v_queued) AND l.batch_id <> p_batch AND l.cancelled_at IS NULL);
        PERFORM jobs.end_jobs(coalesce((
          SELECT jsonb_agg(jsonb_build_object('id', id, 'state', 'cancelled', 'charge', 0))
          FROM unnest(v_queued) id WHERE id <> ALL (v_shared)), '[]'));
        PERFORM 1 FROM jobs.batches WHERE id = p_batch FOR UPDATE;
        -- A search that another list waits for goes on; this list leaves it.
        UPDATE jobs.lines SET cancelled_at = clock_timestamp()
          WHERE batch_id = p_batch AND job_id = ANY (v_shared) AND cancelled_at IS NULL;
        GET DIAGNOSTICS v_left = ROW_COUNT;
        UPDATE jobs.batches SET open_lines = open_lines - v_left,
            completed_at = CASE WHEN open_lines = v_left THEN clock_timestamp() ELSE completed_at END
          WHERE id = p_batch AND v_left > 0;
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION jobs.cancel_batch(text, text)');
  }
}

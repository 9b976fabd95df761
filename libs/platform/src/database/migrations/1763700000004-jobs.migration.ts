import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Batches, their lines, and the jobs that answer the lines. The moves of a job are functions, because each step
 * must see what was committed while the step before it waited for a lock: a list that joins a running job at the
 * very moment of its end would otherwise wait for ever.
 *
 * A job: queued → (claimed: still queued, with a lease) → running → completed | failed; queued → failed | cancelled.
 * Locks are taken in the order jobs, accounts, batches, each in the order of ids.
 */
export class CreateJobs1763700000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA jobs;

      CREATE TABLE jobs.batches (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        service text NOT NULL,
        size integer NOT NULL CHECK (size > 0),
        open_lines integer NOT NULL CHECK (open_lines >= 0),
        run_id text,
        idempotency_key text,
        body_hash text,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        completed_at timestamptz,
        CONSTRAINT completed_when_nothing_is_open CHECK ((open_lines = 0) = (completed_at IS NOT NULL))
      );
      CREATE UNIQUE INDEX batch_by_idempotency_key ON jobs.batches (org_id, idempotency_key) WHERE idempotency_key IS NOT NULL;

      CREATE TABLE jobs.jobs (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        service text NOT NULL,
        batch_id text NOT NULL REFERENCES jobs.batches (id) DEFERRABLE INITIALLY DEFERRED,
        input_index integer NOT NULL,
        run_id text,
        input jsonb,
        share_key text,
        reuse_key text,
        state text NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'failed', 'cancelled')),
        price bigint NOT NULL CHECK (price >= 0),
        hold_id text UNIQUE,
        attempt integer NOT NULL DEFAULT 0,
        claims integer NOT NULL DEFAULT 0,
        lease_token text,
        lease_until timestamptz,
        delivered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        provider text,
        result jsonb,
        error jsonb,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        started_at timestamptz,
        completed_at timestamptz,
        emptied_at timestamptz,
        CONSTRAINT started_when_attempted CHECK ((attempt > 0) = (started_at IS NOT NULL)),
        CONSTRAINT ended_jobs_have_an_end CHECK ((state IN ('queued', 'running')) = (completed_at IS NULL)),
        CONSTRAINT ended_jobs_have_no_lease CHECK (state IN ('queued', 'running') OR lease_token IS NULL)
      );
      CREATE UNIQUE INDEX one_running_search_per_input ON jobs.jobs (org_id, mode, service, share_key)
        WHERE share_key IS NOT NULL AND state IN ('queued', 'running');
      CREATE INDEX jobs_reusable ON jobs.jobs (org_id, mode, service, reuse_key, completed_at) WHERE state = 'completed' AND reuse_key IS NOT NULL;
      CREATE INDEX jobs_open ON jobs.jobs (service, delivered_at) WHERE state IN ('queued', 'running');
      CREATE INDEX jobs_of_org ON jobs.jobs (org_id, created_at DESC, id DESC);
      CREATE INDEX jobs_to_empty ON jobs.jobs (completed_at) WHERE completed_at IS NOT NULL AND emptied_at IS NULL;

      CREATE TABLE jobs.lines (
        batch_id text NOT NULL REFERENCES jobs.batches (id),
        input_index integer NOT NULL,
        org_id text NOT NULL,
        job_id text NOT NULL REFERENCES jobs.jobs (id),
        reused boolean NOT NULL,
        cancelled_at timestamptz,
        PRIMARY KEY (batch_id, input_index)
      );
      CREATE INDEX lines_of_job ON jobs.lines (job_id);

      -- Ends jobs whose rows the caller has locked: resolves their holds, writes the end, counts down their batches.
      -- In: [{id, state, result, error, provider, charge}]. Out: the ids that ended; a job whose hold does not cover
      -- the charge stays as it was.
      CREATE FUNCTION jobs.end_jobs(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_ids text[] := ARRAY(SELECT e ->> 'id' FROM jsonb_array_elements(p_ends) e);
        v_settled text[];
        v_ended text[];
      BEGIN
        v_settled := ARRAY(SELECT credits.resolve_holds(coalesce((
          SELECT jsonb_agg(jsonb_build_object('id', 'led_' || j.id, 'hold', j.hold_id, 'amount', e.charge))
          FROM jsonb_to_recordset(p_ends) AS e (id text, charge bigint) JOIN jobs.jobs j ON j.id = e.id
          WHERE j.id = ANY (v_ids) AND j.hold_id IS NOT NULL), '[]')));
        WITH ended AS (
          UPDATE jobs.jobs j
            SET state = e.state, result = e.result, error = e.error, provider = e.provider,
              completed_at = clock_timestamp(), lease_token = NULL, lease_until = NULL
            FROM jsonb_to_recordset(p_ends) AS e (id text, state text, result jsonb, error jsonb, provider text, charge bigint)
            WHERE j.id = e.id AND j.id = ANY (v_ids) AND j.state IN ('queued', 'running')
              AND (j.hold_id = ANY (v_settled) OR (j.hold_id IS NULL AND e.charge = 0))
            RETURNING j.id
        ) SELECT coalesce(array_agg(id), '{}') INTO v_ended FROM ended;
        PERFORM 1 FROM jobs.batches
          WHERE id = ANY (ARRAY(SELECT l.batch_id FROM jobs.lines l WHERE l.job_id = ANY (v_ended))) ORDER BY id FOR UPDATE;
        UPDATE jobs.batches b
          SET open_lines = b.open_lines - n.lines,
            completed_at = CASE WHEN b.open_lines = n.lines THEN clock_timestamp() END
          FROM (SELECT l.batch_id, count(*)::integer AS lines FROM jobs.lines l
            WHERE l.job_id = ANY (v_ended) AND l.cancelled_at IS NULL GROUP BY l.batch_id) n
          WHERE b.id = n.batch_id;
        RETURN QUERY SELECT unnest(v_ended);
      END $$;

      -- Gives leases, waiting for whoever has a row in hand (that is brief; skipping would lose the delivery).
      -- In: [{id, token, hold}]. Out: what the new owner needs of each job that it may work on. A job
      -- that has used up its attempts ends as worker_lost, one that the balance does not cover as usage_limit.
      CREATE FUNCTION jobs.claim_jobs(p_claims jsonb, p_lease_ms integer, p_attempts_max integer, p_claims_max integer)
      RETURNS TABLE (id text, token text, org_id text, mode text, service text, input jsonb, attempt integer, price bigint)
      LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      #variable_conflict use_column
      DECLARE
        v_free text[];
        v_lost text[];
        v_paid text[];
        v_unpaid text[];
      BEGIN
        v_free := ARRAY(SELECT j.id FROM jobs.jobs j
          WHERE j.id = ANY (ARRAY(SELECT c ->> 'id' FROM jsonb_array_elements(p_claims) c))
            AND j.state IN ('queued', 'running') AND (j.lease_until IS NULL OR j.lease_until < clock_timestamp())
          ORDER BY j.id FOR UPDATE);
        v_lost := ARRAY(SELECT j.id FROM jobs.jobs j
          WHERE j.id = ANY (v_free) AND (j.attempt >= p_attempts_max OR j.claims >= p_claims_max));
        v_paid := ARRAY(SELECT credits.place_holds(coalesce((
          SELECT jsonb_agg(jsonb_build_object('hold', c.hold, 'account', j.org_id || ':' || j.mode, 'amount', j.price,
            'service', j.service, 'batch_id', j.batch_id, 'job_id', j.id, 'input_index', j.input_index, 'run_id', j.run_id)
            ORDER BY j.id)
          FROM jsonb_to_recordset(p_claims) AS c (id text, hold text) JOIN jobs.jobs j ON j.id = c.id
          WHERE j.id = ANY (v_free) AND j.id <> ALL (v_lost) AND j.hold_id IS NULL), '[]')));
        v_unpaid := ARRAY(SELECT j.id FROM jobs.jobs j JOIN jsonb_to_recordset(p_claims) AS c (id text, hold text) ON c.id = j.id
          WHERE j.id = ANY (v_free) AND j.id <> ALL (v_lost) AND j.hold_id IS NULL AND c.hold <> ALL (v_paid));
        PERFORM jobs.end_jobs(coalesce((
          SELECT jsonb_agg(jsonb_build_object('id', x.id, 'state', 'failed', 'charge', 0, 'error', jsonb_build_object(
            'code', x.code, 'message', x.message)))
          FROM (
            SELECT unnest(v_lost), 'worker_lost', 'The workers on this line were lost.'
            UNION ALL SELECT unnest(v_unpaid), 'usage_limit', 'The balance does not cover this line.'
          ) x (id, code, message)), '[]'));
        RETURN QUERY
          UPDATE jobs.jobs j
            SET lease_token = c.token, lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0),
              claims = j.claims + 1, hold_id = coalesce(j.hold_id, c.hold)
            FROM jsonb_to_recordset(p_claims) AS c (id text, token text, hold text)
            WHERE j.id = c.id AND j.id = ANY (v_free) AND j.state IN ('queued', 'running')
            RETURNING j.id, c.token, j.org_id, j.mode, j.service, j.input, j.attempt, j.price;
      END $$;

      -- Ends jobs for the holder of the lease. In: as end_jobs, with token. Out: the ids that ended; a superseded
      -- token ends nothing.
      CREATE FUNCTION jobs.settle_jobs(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_owned text[];
      BEGIN
        v_owned := ARRAY(SELECT j.id FROM jobs.jobs j JOIN jsonb_to_recordset(p_ends) AS e (id text, token text) ON e.id = j.id
          WHERE j.id = ANY (ARRAY(SELECT x ->> 'id' FROM jsonb_array_elements(p_ends) x))
            AND j.lease_token = e.token AND j.state IN ('queued', 'running') ORDER BY j.id FOR UPDATE OF j);
        RETURN QUERY SELECT jobs.end_jobs(coalesce((
          SELECT jsonb_agg(e.value) FROM jsonb_array_elements(p_ends) e (value) WHERE e.value ->> 'id' = ANY (v_owned)), '[]'));
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA jobs CASCADE');
  }
}

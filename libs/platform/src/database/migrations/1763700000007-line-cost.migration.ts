import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Makes the life of a line cheap. A job is written four times; PostgreSQL need not touch an index for any of them but
 * the first and the last, as long as no index and no predicate of one names what they change, and the page has room.
 * `completed_at IS NULL` says the same as an open state, and changes at the end only.
 *
 * The foreign keys of transfers cost a sixth of PostgreSQL's time for a line. Only the functions of the ledger write
 * there; they have just locked the account, and read the hold, that a row names.
 */
export class MakeLinesCheap1763700000007 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE credits.transfers
        DROP CONSTRAINT transfers_account_id_fkey, DROP CONSTRAINT transfers_hold_id_fkey;

      -- A hold names its job, and each claim makes an id of its own for it.
      ALTER TABLE jobs.jobs DROP CONSTRAINT jobs_hold_id_key;
      ALTER TABLE jobs.jobs SET (fillfactor = 50);
      DROP INDEX jobs.one_running_search_per_input;
      CREATE UNIQUE INDEX one_running_search_per_input ON jobs.jobs (org_id, mode, service, share_key)
        WHERE share_key IS NOT NULL AND completed_at IS NULL;
      DROP INDEX jobs.jobs_reusable;
      CREATE INDEX jobs_reusable ON jobs.jobs (org_id, mode, service, reuse_key, completed_at)
        WHERE reuse_key IS NOT NULL AND completed_at IS NOT NULL;
      DROP INDEX jobs.jobs_open;
      CREATE INDEX jobs_open ON jobs.jobs (service, delivered_at) WHERE completed_at IS NULL;

      -- The functions as they were (their contracts stand where they were made first), but each reads its input once
      -- and looks a row up once where it can.
      CREATE OR REPLACE FUNCTION credits.place_holds(p_holds jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_holds text[];
        v_accounts text[];
        v_amounts bigint[];
        v_known text[];
        v_placed text[] := '{}';
        v_places bigint[] := '{}';
        v_account text;
        v_left bigint;
        r record;
      BEGIN
        SELECT array_agg(h.hold), array_agg(h.account), array_agg(h.amount) INTO v_holds, v_accounts, v_amounts
          FROM jsonb_to_recordset(p_holds) AS h (hold text, account text, amount bigint);
        -- In the order of their ids, so that two groups never wait for each other.
        PERFORM 1 FROM credits.accounts WHERE id = ANY (v_accounts) ORDER BY id FOR UPDATE;
        -- A hold that stands already keeps standing, whatever the balance is by now.
        v_known := ARRAY(SELECT t.id FROM credits.transfers t WHERE t.id = ANY (v_holds) AND t.kind = 'hold');
        FOR r IN
          SELECT h.hold, h.account, h.amount, h.place
          FROM unnest(v_holds, v_accounts, v_amounts) WITH ORDINALITY AS h (hold, account, amount, place)
          ORDER BY h.account, h.place
        LOOP
          IF v_account IS DISTINCT FROM r.account THEN
            v_account := r.account;
            SELECT available INTO v_left FROM credits.accounts WHERE id = v_account;
          END IF;
          -- Nothing is placed on an account that does not exist: what is left there is null.
          IF r.amount >= 0 AND r.amount <= v_left AND r.hold <> ALL (v_known) AND r.hold <> ALL (v_placed) THEN
            v_left := v_left - r.amount;
            v_placed := v_placed || r.hold;
            v_places := v_places || r.place;
          END IF;
        END LOOP;
        INSERT INTO credits.transfers (id, account_id, kind, amount, service, batch_id, job_id, input_index, run_id)
          SELECT h.hold, h.account, 'hold', h.amount, h.service, h.batch_id, h.job_id, h.input_index, h.run_id
          FROM ROWS FROM (jsonb_to_recordset(p_holds) AS (hold text, account text, amount bigint, service text,
            batch_id text, job_id text, input_index integer, run_id text)) WITH ORDINALITY
            AS h (hold, account, amount, service, batch_id, job_id, input_index, run_id, place)
          WHERE h.place = ANY (v_places);
        UPDATE credits.accounts a
          SET available = a.available - s.amount, reserved = a.reserved + s.amount, updated_at = clock_timestamp()
          FROM (SELECT h.account, sum(h.amount)::bigint AS amount
            FROM unnest(v_accounts, v_amounts) WITH ORDINALITY AS h (account, amount, place)
            WHERE h.place = ANY (v_places) GROUP BY h.account) s
          WHERE a.id = s.account;
        RETURN QUERY SELECT unnest(v_placed || v_known);
      END $$;

      CREATE OR REPLACE FUNCTION credits.resolve_holds(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_ids text[];
        v_holds text[];
        v_amounts bigint[];
        v_found text[];
        v_held bigint[];
        v_new text[];
      BEGIN
        SELECT array_agg(e.id), array_agg(e.hold), array_agg(e.amount) INTO v_ids, v_holds, v_amounts
          FROM jsonb_to_recordset(p_ends) AS e (id text, hold text, amount bigint);
        PERFORM 1 FROM credits.accounts
          WHERE id = ANY (ARRAY(SELECT DISTINCT t.account_id FROM credits.transfers t WHERE t.id = ANY (v_holds)))
          ORDER BY id FOR UPDATE;
        SELECT array_agg(t.id), array_agg(t.amount) INTO v_found, v_held
          FROM credits.transfers t WHERE t.id = ANY (v_holds) AND t.kind = 'hold';
        WITH new AS (
          INSERT INTO credits.transfers (id, account_id, kind, amount, hold_id, service, batch_id, job_id, input_index, run_id)
            SELECT e.id, t.account_id, CASE WHEN e.amount = 0 THEN 'void' ELSE 'post' END, e.amount, t.id,
              t.service, t.batch_id, t.job_id, t.input_index, t.run_id
            FROM unnest(v_ids, v_holds, v_amounts) AS e (id, hold, amount)
            JOIN credits.transfers t ON t.id = e.hold AND t.kind = 'hold'
            WHERE e.amount >= 0 AND e.amount <= t.amount
          ON CONFLICT DO NOTHING
          RETURNING hold_id, account_id, amount
        ), moved AS (
          UPDATE credits.accounts a
            SET reserved = a.reserved - s.held, available = a.available + s.held - s.posted, spent = a.spent + s.posted,
              updated_at = clock_timestamp()
            FROM (
              SELECT n.account_id, sum(v_held[array_position(v_found, n.hold_id)])::bigint AS held, sum(n.amount)::bigint AS posted
              FROM new n GROUP BY n.account_id
            ) s
            WHERE a.id = s.account_id
        ) SELECT coalesce(array_agg(hold_id), '{}') INTO v_new FROM new;
        RETURN QUERY SELECT unnest(v_new);
        IF cardinality(v_new) < cardinality(v_holds) THEN
          RETURN QUERY
            SELECT p.hold_id FROM unnest(v_holds, v_amounts) AS e (hold, amount)
            JOIN credits.transfers p ON p.hold_id = e.hold AND p.amount = e.amount
            WHERE e.hold <> ALL (v_new);
        END IF;
      END $$;

      CREATE OR REPLACE FUNCTION jobs.end_jobs(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_ids text[];
        v_charges bigint[];
        v_settled text[] := '{}';
        v_ends jsonb;
        v_ended text[];
        v_batches text[];
        v_lines integer[];
      BEGIN
        IF p_ends IS NULL THEN RETURN; END IF;
        SELECT array_agg(e.id), array_agg(e.charge) INTO v_ids, v_charges
          FROM jsonb_to_recordset(p_ends) AS e (id text, charge bigint);
        SELECT jsonb_agg(jsonb_build_object('id', 'led_' || j.id, 'hold', j.hold_id, 'amount', v_charges[array_position(v_ids, j.id)]))
          INTO v_ends FROM jobs.jobs j WHERE j.id = ANY (v_ids) AND j.hold_id IS NOT NULL;
        IF v_ends IS NOT NULL THEN v_settled := ARRAY(SELECT credits.resolve_holds(v_ends)); END IF;
        WITH ended AS (
          UPDATE jobs.jobs j
            SET state = e.state, result = e.result, error = e.error, provider = e.provider,
              completed_at = clock_timestamp(), lease_token = NULL, lease_until = NULL
            FROM jsonb_to_recordset(p_ends) AS e (id text, state text, result jsonb, error jsonb, provider text, charge bigint)
            WHERE j.id = e.id AND j.state IN ('queued', 'running')
              AND (j.hold_id = ANY (v_settled) OR (j.hold_id IS NULL AND e.charge = 0))
            RETURNING j.id
        ) SELECT coalesce(array_agg(id), '{}') INTO v_ended FROM ended;
        -- Nobody can join or leave a job that is locked here, so its lines stand still.
        SELECT array_agg(n.batch_id), array_agg(n.lines) INTO v_batches, v_lines FROM (
          SELECT l.batch_id, count(*)::integer AS lines FROM jobs.lines l
          WHERE l.job_id = ANY (v_ended) AND l.cancelled_at IS NULL GROUP BY l.batch_id) n;
        PERFORM 1 FROM jobs.batches WHERE id = ANY (v_batches) ORDER BY id FOR UPDATE;
        UPDATE jobs.batches b
          SET open_lines = b.open_lines - n.lines,
            completed_at = CASE WHEN b.open_lines = n.lines THEN clock_timestamp() END
          FROM unnest(v_batches, v_lines) AS n (batch_id, lines)
          WHERE b.id = n.batch_id;
        RETURN QUERY SELECT unnest(v_ended);
      END $$;

      CREATE OR REPLACE FUNCTION jobs.claim_jobs(p_claims jsonb, p_lease_ms integer, p_attempts_max integer, p_claims_max integer)
      RETURNS TABLE (id text, token text, org_id text, mode text, service text, input jsonb, attempt integer, price bigint)
      LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      #variable_conflict use_column
      DECLARE
        v_ids text[];
        v_tokens text[];
        v_holds text[];
        v_free text[];
        v_lost text[];
        v_wanted jsonb;
        v_paid text[];
        v_unpaid text[] := '{}';
      BEGIN
        SELECT array_agg(c.id), array_agg(c.token), array_agg(c.hold) INTO v_ids, v_tokens, v_holds
          FROM jsonb_to_recordset(p_claims) AS c (id text, token text, hold text);
        SELECT array_agg(f.id), array_agg(f.id) FILTER (WHERE f.lost) INTO v_free, v_lost FROM (
          SELECT j.id, j.attempt >= p_attempts_max OR j.claims >= p_claims_max AS lost FROM jobs.jobs j
          WHERE j.id = ANY (v_ids)
            AND j.state IN ('queued', 'running') AND (j.lease_until IS NULL OR j.lease_until < clock_timestamp())
          ORDER BY j.id FOR UPDATE) f;
        IF v_free IS NULL THEN RETURN; END IF;
        v_lost := coalesce(v_lost, '{}');
        SELECT jsonb_agg(jsonb_build_object('hold', v_holds[array_position(v_ids, j.id)], 'account', j.org_id || ':' || j.mode,
            'amount', j.price, 'service', j.service, 'batch_id', j.batch_id, 'job_id', j.id, 'input_index', j.input_index,
            'run_id', j.run_id) ORDER BY j.id)
          INTO v_wanted
          FROM jobs.jobs j WHERE j.id = ANY (v_free) AND j.id <> ALL (v_lost) AND j.hold_id IS NULL;
        IF v_wanted IS NOT NULL THEN
          v_paid := ARRAY(SELECT credits.place_holds(v_wanted));
          v_unpaid := ARRAY(SELECT w.job_id FROM jsonb_to_recordset(v_wanted) AS w (hold text, job_id text)
            WHERE w.hold <> ALL (v_paid));
        END IF;
        IF cardinality(v_lost) + cardinality(v_unpaid) = 0 THEN
          -- Not waited for: a claim that a crash of the server takes back leaves a job that can be claimed. Nobody acts
          -- on a claim before its start is on disk, and that brings the claim with it.
          PERFORM set_config('synchronous_commit', 'off', true);
        ELSE
          PERFORM jobs.end_jobs((
            SELECT jsonb_agg(jsonb_build_object('id', x.id, 'state', 'failed', 'charge', 0, 'error', jsonb_build_object(
              'code', x.code, 'message', x.message)))
            FROM (
              SELECT unnest(v_lost), 'worker_lost', 'The workers on this line were lost.'
              UNION ALL SELECT unnest(v_unpaid), 'usage_limit', 'The balance does not cover this line.'
            ) x (id, code, message)));
        END IF;
        RETURN QUERY
          UPDATE jobs.jobs j
            SET lease_token = c.token, lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0),
              claims = j.claims + 1, hold_id = coalesce(j.hold_id, c.hold)
            FROM unnest(v_ids, v_tokens, v_holds) AS c (id, token, hold)
            WHERE j.id = c.id AND j.id = ANY (v_free) AND j.state IN ('queued', 'running')
            RETURNING j.id, c.token, j.org_id, j.mode, j.service, j.input, j.attempt, j.price;
      END $$;

      CREATE OR REPLACE FUNCTION jobs.settle_jobs(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_ids text[];
        v_owned text[];
        v_tokens text[];
      BEGIN
        v_ids := ARRAY(SELECT e ->> 'id' FROM jsonb_array_elements(p_ends) e);
        SELECT array_agg(o.id), array_agg(o.lease_token) INTO v_owned, v_tokens FROM (
          SELECT j.id, j.lease_token FROM jobs.jobs j
          WHERE j.id = ANY (v_ids) AND j.state IN ('queued', 'running') ORDER BY j.id FOR UPDATE) o;
        -- Of the ends of one job only its owner's counts.
        RETURN QUERY SELECT jobs.end_jobs((
          SELECT jsonb_agg(e.value) FROM jsonb_array_elements(p_ends) e (value)
          WHERE e.value ->> 'token' = v_tokens[array_position(v_owned, e.value ->> 'id')]));
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX jobs.jobs_open;
      CREATE INDEX jobs_open ON jobs.jobs (service, delivered_at) WHERE state IN ('queued', 'running');
      DROP INDEX jobs.jobs_reusable;
      CREATE INDEX jobs_reusable ON jobs.jobs (org_id, mode, service, reuse_key, completed_at)
        WHERE state = 'completed' AND reuse_key IS NOT NULL;
      DROP INDEX jobs.one_running_search_per_input;
      CREATE UNIQUE INDEX one_running_search_per_input ON jobs.jobs (org_id, mode, service, share_key)
        WHERE share_key IS NOT NULL AND state IN ('queued', 'running');
      ALTER TABLE jobs.jobs RESET (fillfactor);
      ALTER TABLE jobs.jobs ADD CONSTRAINT jobs_hold_id_key UNIQUE (hold_id);
      ALTER TABLE credits.transfers
        ADD CONSTRAINT transfers_account_id_fkey FOREIGN KEY (account_id) REFERENCES credits.accounts (id),
        ADD CONSTRAINT transfers_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES credits.transfers (id);
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Spend caps, for an organisation or one of its keys, by UTC day and by month, and what is counted against them: per key
 * and day the sum of what was charged, and of what holds still reserve. What a hold did not cost is given back to the
 * day on which it was placed. Weeks and months are sums of days, an organisation is the sum of its keys, so a group of
 * holds writes one row, and an account without caps reads nothing.
 *
 * The rows of an account are written under its lock only, so what is read beneath it is exact: holds that race cannot
 * pass a cap together. Counting begins with this migration: a hold of before it has no key, not even an empty one.
 */
export class AddSpendCaps1763700000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE credits.accounts ADD COLUMN capped boolean NOT NULL DEFAULT false;
      ALTER TABLE credits.transfers ADD COLUMN key_id text;
      ALTER TABLE jobs.batches ADD COLUMN key_id text;
      ALTER TABLE jobs.jobs ADD COLUMN key_id text;

      -- An empty key is the whole organisation.
      CREATE TABLE credits.caps (
        account_id text NOT NULL REFERENCES credits.accounts (id),
        key_id text NOT NULL,
        period text NOT NULL CHECK (period IN ('day', 'month')),
        amount bigint NOT NULL CHECK (amount >= 0),
        PRIMARY KEY (account_id, key_id, period)
      );

      -- An empty key is work that no key asked for.
      CREATE TABLE credits.usage (
        account_id text NOT NULL,
        day date NOT NULL,
        key_id text NOT NULL,
        used bigint NOT NULL CONSTRAINT use_not_negative CHECK (used >= 0),
        PRIMARY KEY (account_id, day, key_id)
      );

      CREATE FUNCTION credits.utc_day(p_at timestamptz) RETURNS date LANGUAGE sql IMMUTABLE
      RETURN (p_at AT TIME ZONE 'UTC')::date;

      -- What was used in the day or month of a time: by one key, or by the organisation when the key is empty.
      CREATE FUNCTION credits.used_in(p_account text, p_key text, p_period text, p_at timestamptz) RETURNS bigint LANGUAGE sql STABLE
      BEGIN ATOMIC
        SELECT coalesce(sum(u.used), 0)::bigint FROM credits.usage u
          WHERE u.account_id = p_account AND (p_key = '' OR u.key_id = p_key)
            AND u.day BETWEEN date_trunc(p_period, p_at AT TIME ZONE 'UTC')::date AND credits.utc_day(p_at);
      END;

      -- What the caps of a key, or of the organisation when it is empty, leave at a time; null when there is none.
      CREATE FUNCTION credits.room_under_caps(p_account text, p_key text, p_at timestamptz) RETURNS bigint LANGUAGE sql STABLE
      BEGIN ATOMIC
        SELECT min(c.amount - credits.used_in(p_account, p_key, c.period, p_at)) FROM credits.caps c
          WHERE c.account_id = p_account AND c.key_id = p_key;
      END;

      -- Places holds in the order given, each judged on what those before it leave of the balance and of the caps.
      -- In: [{hold, account, amount, service, batch_id, job_id, input_index, run_id, key_id}]. Out: the holds that stand,
      -- as held, and those that the balance covers and a cap refuses, as capped; what is left out is not covered.
      CREATE FUNCTION credits.judge_holds(p_holds jsonb) RETURNS TABLE (hold text, outcome text) LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      #variable_conflict use_column
      DECLARE
        v_holds text[];
        v_accounts text[];
        v_keys text[];
        v_amounts bigint[];
        v_known text[];
        v_placed text[] := '{}';
        v_places bigint[] := '{}';
        v_account text;
        v_left bigint;
        v_is_capped boolean;
        v_capped text[] := '{}';
        v_room bigint;
        v_rooms jsonb;
        v_now timestamptz;
        r record;
      BEGIN
        SELECT array_agg(h.hold), array_agg(h.account), array_agg(coalesce(h.key_id, '')), array_agg(h.amount)
          INTO v_holds, v_accounts, v_keys, v_amounts
          FROM jsonb_to_recordset(p_holds) AS h (hold text, account text, key_id text, amount bigint);
        -- In the order of their ids, so that two groups never wait for each other.
        PERFORM 1 FROM credits.accounts WHERE id = ANY (v_accounts) ORDER BY id FOR UPDATE;
        -- A hold that stands already keeps standing, whatever the balance is by now.
        v_known := ARRAY(SELECT t.id FROM credits.transfers t WHERE t.id = ANY (v_holds) AND t.kind = 'hold');
        -- Behind the locks, so that a hold that waited for them over midnight counts on the day on which it stands.
        v_now := clock_timestamp();
        FOR r IN
          SELECT h.hold, h.account, h.key_id, h.amount, h.place
          FROM unnest(v_holds, v_accounts, v_keys, v_amounts) WITH ORDINALITY AS h (hold, account, key_id, amount, place)
          ORDER BY h.account, h.place
        LOOP
          IF v_account IS DISTINCT FROM r.account THEN
            v_account := r.account;
            SELECT available, capped INTO v_left, v_is_capped FROM credits.accounts WHERE id = v_account;
            IF v_is_capped THEN
              v_room := credits.room_under_caps(v_account, '', v_now);
              v_rooms := '{}';
            END IF;
          END IF;
          -- Nothing is placed on an account that does not exist: what is left there is null.
          IF r.amount >= 0 AND r.amount <= v_left AND r.hold <> ALL (v_known) AND r.hold <> ALL (v_placed) THEN
            IF v_is_capped THEN
              IF r.key_id <> '' AND NOT v_rooms ? r.key_id THEN
                v_rooms := v_rooms || jsonb_build_object(r.key_id, credits.room_under_caps(v_account, r.key_id, v_now));
              END IF;
              -- Where there is no cap, the room is null and refuses nothing.
              IF r.amount > v_room OR r.amount > (v_rooms ->> r.key_id)::bigint THEN
                v_capped := v_capped || r.hold;
                CONTINUE;
              END IF;
              v_room := v_room - r.amount;
              IF r.key_id <> '' THEN
                v_rooms := v_rooms || jsonb_build_object(r.key_id, (v_rooms ->> r.key_id)::bigint - r.amount);
              END IF;
            END IF;
            v_left := v_left - r.amount;
            v_placed := v_placed || r.hold;
            v_places := v_places || r.place;
          END IF;
        END LOOP;
        INSERT INTO credits.transfers (id, account_id, kind, amount, service, batch_id, job_id, input_index, run_id, key_id, at)
          SELECT h.hold, h.account, 'hold', h.amount, h.service, h.batch_id, h.job_id, h.input_index, h.run_id, coalesce(h.key_id, ''), v_now
          FROM ROWS FROM (jsonb_to_recordset(p_holds) AS (hold text, account text, amount bigint, service text,
            batch_id text, job_id text, input_index integer, run_id text, key_id text)) WITH ORDINALITY
            AS h (hold, account, amount, service, batch_id, job_id, input_index, run_id, key_id, place)
          WHERE h.place = ANY (v_places);
        UPDATE credits.accounts a
          SET available = a.available - s.amount, reserved = a.reserved + s.amount, updated_at = clock_timestamp()
          FROM (SELECT h.account, sum(h.amount)::bigint AS amount
            FROM unnest(v_accounts, v_amounts) WITH ORDINALITY AS h (account, amount, place)
            WHERE h.place = ANY (v_places) GROUP BY h.account) s
          WHERE a.id = s.account;
        IF v_places <> '{}' THEN
          INSERT INTO credits.usage AS u (account_id, day, key_id, used)
            SELECT h.account, credits.utc_day(v_now), h.key_id, sum(h.amount)::bigint
            FROM unnest(v_accounts, v_keys, v_amounts) WITH ORDINALITY AS h (account, key_id, amount, place)
            WHERE h.place = ANY (v_places) GROUP BY h.account, h.key_id
            ON CONFLICT (account_id, day, key_id) DO UPDATE SET used = u.used + excluded.used;
        END IF;
        RETURN QUERY SELECT unnest(v_placed || v_known), 'held' UNION ALL SELECT unnest(v_capped), 'capped';
      END $$;

      -- For the version before, which asks only what stands.
      CREATE OR REPLACE FUNCTION credits.place_holds(p_holds jsonb) RETURNS SETOF text LANGUAGE sql
      BEGIN ATOMIC
        SELECT h.hold FROM credits.judge_holds(p_holds) h WHERE h.outcome = 'held';
      END;

      -- Places one hold that is void after a time. Out: held, capped or insufficient.
      CREATE FUNCTION credits.judge_expiring_hold(p_hold jsonb, p_expires_ms integer) RETURNS text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_outcome text;
      BEGIN
        IF p_hold ->> 'job_id' IS NOT NULL THEN
          RAISE EXCEPTION 'the hold of a line ends with its job, not by the clock' USING ERRCODE = 'check_violation';
        END IF;
        SELECT h.outcome INTO v_outcome FROM credits.judge_holds(jsonb_build_array(p_hold)) h;
        IF v_outcome = 'held' THEN
          INSERT INTO credits.hold_expiries (hold_id, expires_at)
            VALUES (p_hold ->> 'hold', clock_timestamp() + make_interval(secs => p_expires_ms / 1000.0)) ON CONFLICT DO NOTHING;
        END IF;
        RETURN coalesce(v_outcome, 'insufficient');
      END $$;

      -- The functions as they were (their contracts stand where they were made first), with the key of a line.
      CREATE OR REPLACE FUNCTION credits.resolve_holds(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_ids text[];
        v_holds text[];
        v_amounts bigint[];
        v_found text[];
        v_held bigint[];
        v_days date[];
        v_new text[];
      BEGIN
        SELECT array_agg(e.id), array_agg(e.hold), array_agg(e.amount) INTO v_ids, v_holds, v_amounts
          FROM jsonb_to_recordset(p_ends) AS e (id text, hold text, amount bigint);
        PERFORM 1 FROM credits.accounts
          WHERE id = ANY (ARRAY(SELECT DISTINCT t.account_id FROM credits.transfers t WHERE t.id = ANY (v_holds)))
          ORDER BY id FOR UPDATE;
        SELECT array_agg(t.id), array_agg(t.amount), array_agg(credits.utc_day(t.at)) INTO v_found, v_held, v_days
          FROM credits.transfers t WHERE t.id = ANY (v_holds) AND t.kind = 'hold';
        WITH new AS (
          INSERT INTO credits.transfers (id, account_id, kind, amount, hold_id, service, batch_id, job_id, input_index, run_id, key_id)
            SELECT e.id, t.account_id, CASE WHEN e.amount = 0 THEN 'void' ELSE 'post' END, e.amount, t.id,
              t.service, t.batch_id, t.job_id, t.input_index, t.run_id, t.key_id
            FROM unnest(v_ids, v_holds, v_amounts) AS e (id, hold, amount)
            JOIN credits.transfers t ON t.id = e.hold AND t.kind = 'hold'
            WHERE e.amount >= 0 AND e.amount <= t.amount
          ON CONFLICT DO NOTHING
          RETURNING hold_id, account_id, key_id, amount
        ), moved AS (
          UPDATE credits.accounts a
            SET reserved = a.reserved - s.held, available = a.available + s.held - s.posted, spent = a.spent + s.posted,
              updated_at = clock_timestamp()
            FROM (
              SELECT n.account_id, sum(v_held[array_position(v_found, n.hold_id)])::bigint AS held, sum(n.amount)::bigint AS posted
              FROM new n GROUP BY n.account_id
            ) s
            WHERE a.id = s.account_id
        ), unused AS (
          -- On the day of the hold: what it did not cost was not used. A hold of before the counters has no key.
          UPDATE credits.usage u SET used = u.used - s.freed
            FROM (
              SELECT n.account_id, n.key_id, v_days[array_position(v_found, n.hold_id)] AS day,
                sum(v_held[array_position(v_found, n.hold_id)] - n.amount)::bigint AS freed
              FROM new n WHERE n.key_id IS NOT NULL GROUP BY 1, 2, 3
            ) s
            WHERE s.freed > 0 AND u.account_id = s.account_id AND u.day = s.day AND u.key_id = s.key_id
        ) SELECT coalesce(array_agg(hold_id), '{}') INTO v_new FROM new;
        RETURN QUERY SELECT unnest(v_new);
        IF cardinality(v_new) < cardinality(v_holds) THEN
          RETURN QUERY
            SELECT p.hold_id FROM unnest(v_holds, v_amounts) AS e (hold, amount)
            JOIN credits.transfers p ON p.hold_id = e.hold AND p.amount = e.amount
            WHERE e.hold <> ALL (v_new);
        END IF;
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
        v_capped text[];
        v_unpaid text[] := '{}';
      BEGIN
        SELECT array_agg(c.id), array_agg(c.token), array_agg(c.hold) INTO v_ids, v_tokens, v_holds
          FROM jsonb_to_recordset(p_claims) AS c (id text, token text, hold text);
        SELECT array_agg(f.id), array_agg(f.id) FILTER (WHERE f.lost) INTO v_free, v_lost FROM (
          -- Attempts that nobody handed back. A lease that was handed back leaves no token; one that was lost leaves its
          -- own, and whoever lost it may have called.
          SELECT j.id, j.attempt - j.handed_back - (j.is_begun AND j.lease_token IS NULL)::integer >= p_attempts_max
              OR j.claims >= p_claims_max AS lost
          FROM jobs.jobs j
          WHERE j.id = ANY (v_ids)
            AND j.state IN ('queued', 'running') AND (j.lease_until IS NULL OR j.lease_until < clock_timestamp())
          ORDER BY j.id FOR UPDATE) f;
        IF v_free IS NULL THEN RETURN; END IF;
        v_lost := coalesce(v_lost, '{}');
        SELECT jsonb_agg(jsonb_build_object('hold', v_holds[array_position(v_ids, j.id)], 'account', j.org_id || ':' || j.mode,
            'amount', j.price, 'service', j.service, 'batch_id', j.batch_id, 'job_id', j.id, 'input_index', j.input_index,
            'run_id', j.run_id, 'key_id', j.key_id) ORDER BY j.id)
          INTO v_wanted
          FROM jobs.jobs j WHERE j.id = ANY (v_free) AND j.id <> ALL (v_lost) AND j.hold_id IS NULL;
        IF v_wanted IS NOT NULL THEN
          SELECT coalesce(array_agg(h.hold) FILTER (WHERE h.outcome = 'held'), '{}'),
              coalesce(array_agg(h.hold) FILTER (WHERE h.outcome = 'capped'), '{}')
            INTO v_paid, v_capped FROM credits.judge_holds(v_wanted) h;
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
              UNION ALL SELECT u.id, 'usage_limit', CASE
                  WHEN v_holds[array_position(v_ids, u.id)] = ANY (v_capped) THEN 'A spend cap does not leave room for this line.'
                  ELSE 'The balance does not cover this line.' END
                FROM unnest(v_unpaid) u (id)
            ) x (id, code, message)));
        END IF;
        RETURN QUERY
          UPDATE jobs.jobs j
            SET lease_token = c.token, lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0),
              claims = j.claims + 1, hold_id = coalesce(j.hold_id, c.hold), is_begun = j.is_begun AND j.lease_token IS NULL
            FROM unnest(v_ids, v_tokens, v_holds) AS c (id, token, hold)
            WHERE j.id = c.id AND j.id = ANY (v_free) AND j.state IN ('queued', 'running')
            RETURNING j.id, c.token, j.org_id, j.mode, j.service, j.input, j.attempt, j.price;
      END $$;

      CREATE OR REPLACE FUNCTION jobs.cancel_batch(p_org text, p_batch text) RETURNS void LANGUAGE plpgsql
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
        -- What this list began goes over to the first line that still waits for it. Only while nothing is held: a hold
        -- names its line, and is never changed.
        WITH heirs AS (
          SELECT DISTINCT ON (l.job_id) l.job_id, l.batch_id, l.input_index, b.run_id, b.key_id
          FROM jobs.lines l JOIN jobs.jobs j ON j.id = l.job_id JOIN jobs.batches b ON b.id = l.batch_id
          WHERE l.job_id = ANY (v_shared) AND l.cancelled_at IS NULL AND j.batch_id = p_batch AND j.hold_id IS NULL
          ORDER BY l.job_id, l.batch_id, l.input_index
        ), handed_over AS (
          UPDATE jobs.jobs j SET batch_id = h.batch_id, input_index = h.input_index, run_id = h.run_id, key_id = h.key_id
          FROM heirs h WHERE j.id = h.job_id
        )
        UPDATE jobs.lines l SET reused = false
          FROM heirs h WHERE l.batch_id = h.batch_id AND l.input_index = h.input_index;
      END $$;
    `);
  }

  async down(): Promise<void> {
    await Promise.reject(
      new Error('A version without caps would spend beyond them: restore a backup instead.'),
    );
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Accounts and transfers of credits. Amounts are whole thousandths of a credit. Transfers are append-only; an
 * account's columns are their running sums, kept true by CHECKs. The grouped statements are functions because
 * each of their steps must see what was committed while the step before it waited for a lock, which one SQL
 * statement (one snapshot) cannot.
 *
 * Plans of functions are kept, also those made while a table was still empty. The planner settings tie them to
 * index lookups per given row, which is right at every size.
 */
export class CreateCredits1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA credits;

      CREATE TABLE credits.accounts (
        id text PRIMARY KEY,
        org_id text NOT NULL,
        mode text NOT NULL CHECK (mode IN ('live', 'test')),
        granted bigint NOT NULL DEFAULT 0,
        available bigint NOT NULL DEFAULT 0,
        reserved bigint NOT NULL DEFAULT 0,
        spent bigint NOT NULL DEFAULT 0,
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        UNIQUE (org_id, mode),
        CONSTRAINT available_not_negative CHECK (available >= 0),
        CONSTRAINT reserved_not_negative CHECK (reserved >= 0),
        CONSTRAINT spent_not_negative CHECK (spent >= 0),
        CONSTRAINT sums_agree CHECK (available + reserved + spent = granted)
      );

      CREATE TABLE credits.transfers (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES credits.accounts (id),
        kind text NOT NULL CHECK (kind IN ('grant', 'adjustment', 'hold', 'post', 'void')),
        amount bigint NOT NULL,
        hold_id text REFERENCES credits.transfers (id),
        service text,
        batch_id text,
        job_id text,
        input_index integer,
        run_id text,
        reason text,
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT only_resolutions_name_a_hold CHECK ((kind IN ('post', 'void')) = (hold_id IS NOT NULL)),
        CONSTRAINT only_adjustments_are_negative CHECK (amount >= 0 OR kind = 'adjustment')
      );
      CREATE UNIQUE INDEX one_resolution_per_hold ON credits.transfers (hold_id) WHERE hold_id IS NOT NULL;
      CREATE INDEX transfers_of_account ON credits.transfers (account_id, at, id) WHERE kind IN ('grant', 'adjustment', 'post');

      CREATE FUNCTION credits.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'transfers are append-only' USING ERRCODE = 'restrict_violation';
      END $$;
      CREATE TRIGGER transfers_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON credits.transfers
        FOR EACH STATEMENT EXECUTE FUNCTION credits.refuse_change();

      -- Adds to what an account was granted. The same id again changes nothing.
      CREATE FUNCTION credits.grant_credits(p_id text, p_account text, p_org text, p_mode text, p_amount bigint, p_kind text, p_reason text)
      RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO credits.accounts (id, org_id, mode) VALUES (p_account, p_org, p_mode) ON CONFLICT (id) DO NOTHING;
        PERFORM 1 FROM credits.accounts WHERE id = p_account FOR UPDATE;
        INSERT INTO credits.transfers (id, account_id, kind, amount, reason)
          VALUES (p_id, p_account, p_kind, p_amount, p_reason) ON CONFLICT (id) DO NOTHING;
        IF NOT FOUND THEN RETURN false; END IF;
        UPDATE credits.accounts SET granted = granted + p_amount, available = available + p_amount, updated_at = clock_timestamp()
          WHERE id = p_account;
        RETURN true;
      END $$;

      -- Places holds in the order given, each judged on the balance that those before it leave.
      -- In: [{hold, account, amount, service, batch_id, job_id, input_index, run_id}]. Out: the holds that stand.
      CREATE FUNCTION credits.place_holds(p_holds jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        r record;
        v_account text := NULL;
        v_left bigint := 0;
        v_placed text[] := '{}';
        v_known text[];
      BEGIN
        -- In the order of their ids, so that two groups never wait for each other.
        PERFORM 1 FROM credits.accounts
          WHERE id = ANY (ARRAY(SELECT h ->> 'account' FROM jsonb_array_elements(p_holds) h)) ORDER BY id FOR UPDATE;
        -- A hold that stands already keeps standing, whatever the balance is by now.
        v_known := ARRAY(SELECT t.id FROM credits.transfers t
          WHERE t.kind = 'hold' AND t.id = ANY (ARRAY(SELECT h ->> 'hold' FROM jsonb_array_elements(p_holds) h)));
        FOR r IN
          SELECT h.value ->> 'hold' AS hold, a.id AS account, (h.value ->> 'amount')::bigint AS amount, a.available
          FROM jsonb_array_elements(p_holds) WITH ORDINALITY h (value, position)
          JOIN credits.accounts a ON a.id = h.value ->> 'account'
          WHERE a.id = ANY (ARRAY(SELECT x ->> 'account' FROM jsonb_array_elements(p_holds) x))
          ORDER BY a.id, h.position
        LOOP
          IF v_account IS DISTINCT FROM r.account THEN
            v_account := r.account;
            v_left := r.available;
          END IF;
          CONTINUE WHEN r.hold = ANY (v_known) OR r.hold = ANY (v_placed) OR r.amount < 0 OR r.amount > v_left;
          v_left := v_left - r.amount;
          v_placed := v_placed || r.hold;
        END LOOP;
        INSERT INTO credits.transfers (id, account_id, kind, amount, service, batch_id, job_id, input_index, run_id)
          SELECT DISTINCT ON (h.hold) h.hold, h.account, 'hold', h.amount, h.service, h.batch_id, h.job_id, h.input_index, h.run_id
          FROM jsonb_to_recordset(p_holds) AS h (hold text, account text, amount bigint, service text, batch_id text,
            job_id text, input_index integer, run_id text)
          WHERE h.hold = ANY (v_placed);
        UPDATE credits.accounts a
          SET available = a.available - s.amount, reserved = a.reserved + s.amount, updated_at = clock_timestamp()
          FROM (SELECT account_id, sum(amount)::bigint AS amount FROM credits.transfers WHERE id = ANY (v_placed) GROUP BY account_id) s
          WHERE a.id = s.account_id;
        RETURN QUERY SELECT unnest(v_placed || v_known);
      END $$;

      -- Ends holds: amount > 0 posts it and frees the rest, 0 voids. In: [{id, hold, amount}].
      -- Out: the holds that this call ended, and those ended before with the same amount (a retry). A hold that is
      -- unknown, ended otherwise, or smaller than the amount is left as it is and not returned.
      CREATE FUNCTION credits.resolve_holds(p_ends jsonb) RETURNS SETOF text LANGUAGE plpgsql
      SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
      DECLARE
        v_holds text[] := ARRAY(SELECT e ->> 'hold' FROM jsonb_array_elements(p_ends) e);
        v_new text[];
      BEGIN
        PERFORM 1 FROM credits.accounts
          WHERE id = ANY (ARRAY(SELECT t.account_id FROM credits.transfers t WHERE t.id = ANY (v_holds))) ORDER BY id FOR UPDATE;
        WITH new AS (
          INSERT INTO credits.transfers (id, account_id, kind, amount, hold_id, service, batch_id, job_id, input_index, run_id)
            SELECT e.id, t.account_id, CASE WHEN e.amount = 0 THEN 'void' ELSE 'post' END, e.amount, t.id,
              t.service, t.batch_id, t.job_id, t.input_index, t.run_id
            FROM jsonb_to_recordset(p_ends) AS e (id text, hold text, amount bigint)
            JOIN credits.transfers t ON t.id = e.hold AND t.kind = 'hold'
            WHERE t.id = ANY (v_holds) AND e.amount >= 0 AND e.amount <= t.amount
          ON CONFLICT DO NOTHING
          RETURNING hold_id
        ) SELECT coalesce(array_agg(hold_id), '{}') INTO v_new FROM new;
        UPDATE credits.accounts a
          SET reserved = a.reserved - s.held, available = a.available + s.held - s.posted, spent = a.spent + s.posted,
            updated_at = clock_timestamp()
          FROM (
            SELECT h.account_id, sum(h.amount)::bigint AS held, sum(p.amount)::bigint AS posted
            FROM credits.transfers h JOIN credits.transfers p ON p.hold_id = h.id
            WHERE h.id = ANY (v_new) AND p.hold_id = ANY (v_new) GROUP BY h.account_id
          ) s
          WHERE a.id = s.account_id;
        RETURN QUERY
          SELECT p.hold_id FROM credits.transfers p
          JOIN jsonb_to_recordset(p_ends) AS e (hold text, amount bigint) ON e.hold = p.hold_id AND e.amount = p.amount
          WHERE p.hold_id = ANY (v_holds);
      END $$;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SCHEMA credits CASCADE');
  }
}

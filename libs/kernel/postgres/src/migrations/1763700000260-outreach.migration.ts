import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Leading columns of the key of every table. */
const TENANT = `
        org_id text COLLATE "C" NOT NULL,
        mode   text COLLATE "C" NOT NULL CHECK (mode IN ('live', 'test')),`;

/** Mailboxes, sequences and the inbox: docs/outreach.md. Why a message is marked before its first byte: docs/adr/0066. */
export class AddOutreach1763700000260 implements MigrationInterface {
  readonly name = 'AddOutreach1763700000260';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SCHEMA outreach;

      CREATE TABLE outreach.mailboxes (${TENANT}
        id             text COLLATE "C" NOT NULL,
        -- In lower case.
        address        text COLLATE "C" NOT NULL,
        name           text,
        -- {host, port, security, user}; null in test mode, where a sink takes the messages.
        smtp           json,
        imap           json,
        -- {smtp_password, imap_password, dkim_key}, sealed.
        sealed_secrets text COLLATE "C",
        dkim_selector  text,
        status         text COLLATE "C" NOT NULL DEFAULT 'connected' CHECK (status IN ('connected', 'failing', 'paused', 'removed')),
        status_reason  text,
        daily_limit    integer NOT NULL CHECK (daily_limit > 0),
        ramp_up        boolean NOT NULL,
        gap_seconds    integer NOT NULL CHECK (gap_seconds >= 0),
        time_zone      text NOT NULL,
        -- The first day on which it has sent, by its time zone: ramp-up counts from it.
        first_day      date,
        -- The earliest time of the next message: the gap.
        next_send_at   timestamptz NOT NULL DEFAULT '-infinity',
        -- Connections that have failed since the last success.
        failures       integer NOT NULL DEFAULT 0,
        domain         json,
        domain_checked_at timestamptz,
        -- Who sends from it.
        send_token     text COLLATE "C",
        send_until     timestamptz,
        send_queued_at timestamptz NOT NULL DEFAULT '-infinity',
        -- Who reads its inbox, and how far: {folder: {uidvalidity, uidnext}}.
        read_token     text COLLATE "C",
        read_until     timestamptz,
        read_queued_at timestamptz NOT NULL DEFAULT '-infinity',
        read_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
        read_state     json NOT NULL DEFAULT '{}',
        created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, id)
      );
      CREATE UNIQUE INDEX mailbox_addresses ON outreach.mailboxes (org_id, mode, address) WHERE status <> 'removed';

      -- Messages whose body was begun, by local day, of a mailbox or of a sequence.
      CREATE TABLE outreach.sending_days (${TENANT}
        owner_id  text COLLATE "C" NOT NULL,
        day       date NOT NULL,
        started   integer NOT NULL,
        day_limit integer NOT NULL,
        PRIMARY KEY (org_id, mode, owner_id, day),
        CHECK (started <= day_limit)
      );
      CREATE INDEX sending_days_by_day ON outreach.sending_days (day);

      CREATE TABLE outreach.sequences (${TENANT}
        id           text COLLATE "C" NOT NULL,
        name         text NOT NULL,
        status       text COLLATE "C" NOT NULL DEFAULT 'draft'
          CHECK (status IN ('draft', 'approved', 'active', 'paused', 'completed', 'archived')),
        version      integer NOT NULL DEFAULT 1,
        -- Of this version, as clients see it; the columns after it say the same to statements.
        definition   json NOT NULL,
        mailbox_ids  text[] NOT NULL,
        time_zone    text NOT NULL,
        -- 1 is Monday.
        window_days  integer[] NOT NULL,
        window_from  time NOT NULL,
        window_to    time NOT NULL,
        daily_limit  integer,
        step_count   integer NOT NULL,
        -- The approval of this version and this audience, while it holds.
        approval_id  text COLLATE "C",
        created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, id)
      );
      CREATE INDEX sequences_newest_first ON outreach.sequences (org_id, mode, created_at DESC, id DESC);

      CREATE TABLE outreach.sequence_versions (${TENANT}
        sequence_id text COLLATE "C" NOT NULL,
        version     integer NOT NULL,
        definition  json NOT NULL,
        created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, sequence_id, version),
        FOREIGN KEY (org_id, mode, sequence_id) REFERENCES outreach.sequences ON DELETE CASCADE
      );

      CREATE TABLE outreach.approvals (${TENANT}
        id           text COLLATE "C" NOT NULL,
        kind         text COLLATE "C" NOT NULL CHECK (kind IN ('sequence', 'draft')),
        sequence_id  text COLLATE "C",
        draft_id     text COLLATE "C",
        version      integer,
        digest       text COLLATE "C" NOT NULL,
        audience     integer NOT NULL,
        -- How many bodies may be begun under it, and how many were.
        messages     integer NOT NULL,
        started      integer NOT NULL DEFAULT 0,
        summary      text NOT NULL,
        status       text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected', 'void')),
        requested_by text COLLATE "C",
        decided_by   text COLLATE "C",
        requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        decided_at   timestamptz,
        expires_at   timestamptz NOT NULL,
        PRIMARY KEY (org_id, mode, id),
        CHECK (started <= messages),
        CHECK ((kind = 'sequence') = (sequence_id IS NOT NULL)),
        CHECK ((kind = 'draft') = (draft_id IS NOT NULL)),
        CHECK (status <> 'approved' OR decided_by IS NOT NULL)
      );
      CREATE INDEX approvals_newest_first ON outreach.approvals (org_id, mode, requested_at DESC, id DESC);
      CREATE INDEX approvals_of_sequence ON outreach.approvals (org_id, mode, sequence_id, requested_at DESC) WHERE sequence_id IS NOT NULL;

      CREATE TABLE outreach.enrollments (${TENANT}
        id          text COLLATE "C" NOT NULL,
        sequence_id text COLLATE "C" NOT NULL,
        -- In lower case.
        email       text COLLATE "C" NOT NULL,
        table_id    text COLLATE "C",
        row_id      text COLLATE "C",
        -- What the templates may name, as it was in the row.
        variables   json NOT NULL,
        is_verified boolean NOT NULL,
        -- The contact's own, where the row names one.
        time_zone   text,
        mailbox_id  text COLLATE "C",
        approval_id text COLLATE "C",
        thread_id   text COLLATE "C",
        -- Messages that it has had.
        step        integer NOT NULL DEFAULT 0,
        next_at     timestamptz,
        status      text COLLATE "C" NOT NULL DEFAULT 'waiting'
          CHECK (status IN ('waiting', 'active', 'finished', 'replied', 'bounced', 'unsubscribed', 'stopped', 'failed')),
        reason      text,
        -- Says in links of messages who it is.
        unsubscribe_token text COLLATE "C" NOT NULL,
        -- What its row says of it: status and step; null for nothing yet.
        shown       text,
        created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        ended_at    timestamptz,
        PRIMARY KEY (org_id, mode, id),
        UNIQUE (org_id, mode, sequence_id, email),
        FOREIGN KEY (org_id, mode, sequence_id) REFERENCES outreach.sequences ON DELETE CASCADE,
        CHECK ((status IN ('waiting', 'active')) = (ended_at IS NULL))
      );
      CREATE INDEX enrollments_of_sequence ON outreach.enrollments (org_id, mode, sequence_id, id);
      CREATE INDEX enrollments_by_status ON outreach.enrollments (org_id, mode, sequence_id, status, id);
      CREATE INDEX enrollments_by_email ON outreach.enrollments (org_id, mode, email);
      CREATE UNIQUE INDEX enrollments_by_token ON outreach.enrollments (unsubscribe_token);
      CREATE INDEX due_enrollments ON outreach.enrollments (org_id, mode, mailbox_id, next_at)
        WHERE status = 'active' AND next_at IS NOT NULL;
      CREATE INDEX enrollments_of_row ON outreach.enrollments (org_id, mode, table_id, row_id) WHERE table_id IS NOT NULL;

      CREATE INDEX enrollments_to_show ON outreach.enrollments (org_id, mode, table_id)
        WHERE table_id IS NOT NULL AND row_id IS NOT NULL AND shown IS DISTINCT FROM status || ' ' || step::text;

      CREATE TABLE outreach.threads (${TENANT}
        id            text COLLATE "C" NOT NULL,
        mailbox_id    text COLLATE "C" NOT NULL,
        sequence_id   text COLLATE "C",
        enrollment_id text COLLATE "C",
        contact_email text COLLATE "C" NOT NULL,
        contact_name  text,
        subject       text NOT NULL,
        kind          text COLLATE "C" NOT NULL DEFAULT 'sent' CHECK (kind IN ('sent', 'reply', 'away', 'bounce', 'unsubscribe')),
        label         text,
        unread        boolean NOT NULL DEFAULT false,
        snippet       text NOT NULL DEFAULT '',
        last_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Null until somebody has answered.
        received_at   timestamptz,
        PRIMARY KEY (org_id, mode, id)
      );
      CREATE INDEX threads_newest_first ON outreach.threads (org_id, mode, last_at DESC, id DESC);
      CREATE INDEX threads_by_contact ON outreach.threads (org_id, mode, mailbox_id, contact_email);

      CREATE TABLE outreach.messages (${TENANT}
        id             text COLLATE "C" NOT NULL,
        thread_id      text COLLATE "C" NOT NULL,
        mailbox_id     text COLLATE "C" NOT NULL,
        direction      text COLLATE "C" NOT NULL CHECK (direction IN ('in', 'out')),
        kind           text COLLATE "C" NOT NULL DEFAULT 'sent' CHECK (kind IN ('sent', 'reply', 'away', 'bounce', 'unsubscribe')),
        sequence_id    text COLLATE "C",
        enrollment_id  text COLLATE "C",
        step           integer,
        draft_id       text COLLATE "C",
        approval_id    text COLLATE "C",
        state          text COLLATE "C" NOT NULL
          CHECK (state IN ('planned', 'claimed', 'sending', 'sent', 'deferred', 'rejected', 'unknown', 'cancelled', 'received')),
        -- Without angle brackets.
        rfc_message_id text COLLATE "C" NOT NULL,
        in_reply_to    text COLLATE "C",
        reference_ids  text[] NOT NULL DEFAULT '{}',
        from_address   text NOT NULL,
        to_address     text NOT NULL,
        subject        text NOT NULL,
        body_text      text NOT NULL,
        -- Older text that it quotes.
        quoted_text    text,
        -- Of what came, what is safe of it; of what is sent, made of the text.
        body_html      text,
        token          text COLLATE "C",
        lease_until    timestamptz,
        tries          integer NOT NULL DEFAULT 0,
        due_at         timestamptz,
        -- Written before the first byte of the body may leave: from then on nobody knows until the server has answered.
        data_started_at timestamptz,
        smtp_code      integer,
        smtp_reply     text,
        created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- When it was sent, received or given up.
        ended_at       timestamptz,
        PRIMARY KEY (org_id, mode, id),
        FOREIGN KEY (org_id, mode, thread_id) REFERENCES outreach.threads ON DELETE CASCADE,
        CHECK ((direction = 'in') = (state = 'received')),
        CHECK ((state IN ('planned', 'deferred')) = (due_at IS NOT NULL)),
        CHECK (state NOT IN ('sending', 'unknown') OR data_started_at IS NOT NULL),
        CHECK ((state IN ('claimed', 'sending')) = (token IS NOT NULL))
      );
      -- One message for each step of a contact, whatever happens.
      CREATE UNIQUE INDEX message_of_step ON outreach.messages (org_id, mode, enrollment_id, step)
        WHERE direction = 'out' AND enrollment_id IS NOT NULL;
      CREATE UNIQUE INDEX message_of_draft ON outreach.messages (org_id, mode, draft_id) WHERE draft_id IS NOT NULL;
      CREATE UNIQUE INDEX message_ids ON outreach.messages (org_id, mode, mailbox_id, direction, rfc_message_id);
      CREATE INDEX messages_of_thread ON outreach.messages (org_id, mode, thread_id, created_at, id);
      CREATE INDEX due_messages ON outreach.messages (org_id, mode, mailbox_id, due_at) WHERE due_at IS NOT NULL;
      CREATE INDEX leased_messages ON outreach.messages (lease_until) WHERE token IS NOT NULL;
      CREATE INDEX unknown_messages ON outreach.messages (org_id, mode, mailbox_id) WHERE state = 'unknown';
      CREATE INDEX messages_of_sequence ON outreach.messages (org_id, mode, sequence_id, state) WHERE sequence_id IS NOT NULL;
      CREATE INDEX messages_by_end ON outreach.messages (ended_at) WHERE ended_at IS NOT NULL;

      -- What may follow on what. A message of which nobody knows whether it was sent is never sent again.
      CREATE FUNCTION outreach.check_message_move() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        IF NOT (OLD.state, NEW.state) IN (
          ('planned', 'claimed'), ('planned', 'cancelled'),
          ('claimed', 'planned'), ('claimed', 'sending'), ('claimed', 'deferred'), ('claimed', 'rejected'), ('claimed', 'cancelled'),
          ('sending', 'sent'), ('sending', 'deferred'), ('sending', 'rejected'), ('sending', 'unknown'),
          ('deferred', 'claimed'), ('deferred', 'rejected'), ('deferred', 'cancelled'),
          ('unknown', 'sent'), ('unknown', 'rejected'))
        THEN RAISE EXCEPTION 'A message that is % cannot become %.', OLD.state, NEW.state;
        END IF;
        RETURN NEW;
      END $body$;
      CREATE TRIGGER message_moves BEFORE UPDATE OF state ON outreach.messages FOR EACH ROW
        WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION outreach.check_message_move();

      CREATE TABLE outreach.drafts (${TENANT}
        id          text COLLATE "C" NOT NULL,
        thread_id   text COLLATE "C" NOT NULL,
        to_address  text NOT NULL,
        subject     text NOT NULL,
        body_text   text NOT NULL,
        digest      text COLLATE "C" NOT NULL,
        approval_id text COLLATE "C" NOT NULL,
        created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, id),
        FOREIGN KEY (org_id, mode, thread_id) REFERENCES outreach.threads ON DELETE CASCADE
      );
      CREATE INDEX drafts_of_thread ON outreach.drafts (org_id, mode, thread_id);

      CREATE TABLE outreach.suppressions (${TENANT}
        id         text COLLATE "C" NOT NULL,
        kind       text COLLATE "C" NOT NULL CHECK (kind IN ('address', 'domain')),
        -- Null once the person is erased. The hash goes on to keep them from being written to.
        value      text COLLATE "C",
        -- outreach.suppression_hash of it.
        hash       text COLLATE "C" NOT NULL,
        reason     text COLLATE "C" NOT NULL CHECK (reason IN ('manual', 'unsubscribed', 'hard_bounce', 'soft_bounces', 'reply')),
        message_id text COLLATE "C",
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, id),
        UNIQUE (org_id, mode, kind, hash)
      );
      CREATE INDEX suppressions_newest_first ON outreach.suppressions (org_id, mode, created_at DESC, id DESC);

      -- Mails that were looked at, so that each has its effects once.
      CREATE TABLE outreach.seen_mails (${TENANT}
        mailbox_id  text COLLATE "C" NOT NULL,
        folder      text COLLATE "C" NOT NULL,
        uidvalidity bigint NOT NULL,
        uid         bigint NOT NULL,
        seen_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, mailbox_id, folder, uidvalidity, uid)
      );
      CREATE INDEX seen_mails_by_time ON outreach.seen_mails (seen_at);

      -- What the sink of test mode has answered, as an IMAP server would keep it.
      CREATE TABLE outreach.sink_mails (${TENANT}
        mailbox_id text COLLATE "C" NOT NULL,
        uid        bigint GENERATED ALWAYS AS IDENTITY,
        raw        text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (org_id, mode, mailbox_id, uid)
      );
      CREATE INDEX sink_mails_by_time ON outreach.sink_mails (created_at);

      -- The organisation is in it, so that the hashes of two say nothing about each other.
      CREATE FUNCTION outreach.suppression_hash(org_id text, value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN encode(sha256(convert_to(org_id || ' ' || lower(value), 'UTF8')), 'hex');

      -- What a suppression of an address, of its domain or of a domain above that one has as its hash.
      CREATE FUNCTION outreach.suppression_hashes(org_id text, address text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN outreach.suppression_hash(org_id, address) || ARRAY(
          SELECT outreach.suppression_hash(org_id, array_to_string(labels[n:], '.'))
          FROM (SELECT string_to_array(regexp_replace(lower(address), '^.*@', ''), '.')) AS host (labels),
            generate_series(1, cardinality(labels) - 1) AS n);

      -- Whether messages may leave at a time, by the clock of a zone; PostgreSQL knows the days on which clocks change.
      CREATE FUNCTION outreach.is_window_open(at timestamptz, zone text, days integer[], from_time time, to_time time)
        RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
        RETURN extract(isodow FROM at AT TIME ZONE zone)::integer = ANY (days)
          AND (at AT TIME ZONE zone)::time >= from_time AND (at AT TIME ZONE zone)::time < to_time;

      -- Mailboxes that could send now, and since when: their gap has passed, their day is not full, and a message or an enrollment of
      -- an approved sequence whose window is open is due. More workers help none of the others.
      CREATE VIEW metrics.due_mailboxes AS
        SELECT count(DISTINCT (b.org_id, b.mode, b.id)) AS mailboxes, min(greatest(d.due_at, b.next_send_at)) AS oldest_at
        FROM outreach.mailboxes b
        CROSS JOIN LATERAL (
          SELECT m.due_at, m.sequence_id, m.enrollment_id FROM outreach.messages m
          WHERE m.org_id = b.org_id AND m.mode = b.mode AND m.mailbox_id = b.id AND m.due_at <= now()
          UNION ALL
          SELECT e.next_at, e.sequence_id, e.id FROM outreach.enrollments e
          WHERE e.org_id = b.org_id AND e.mode = b.mode AND e.mailbox_id = b.id AND e.status = 'active' AND e.next_at <= now()) n
        LEFT JOIN outreach.sequences s ON s.org_id = b.org_id AND s.mode = b.mode AND s.id = n.sequence_id
        CROSS JOIN LATERAL (SELECT now() AT TIME ZONE s.time_zone AS at) l
        CROSS JOIN LATERAL (SELECT greatest(n.due_at,
          CASE WHEN n.enrollment_id IS NOT NULL THEN (l.at::date + s.window_from) AT TIME ZONE s.time_zone END) AS due_at) d
        WHERE b.status = 'connected' AND b.next_send_at <= now()
          AND (n.enrollment_id IS NULL OR (s.status = 'active' AND s.approval_id IS NOT NULL
            AND extract(isodow FROM l.at)::integer = ANY (s.window_days) AND l.at::time >= s.window_from AND l.at::time < s.window_to
            AND NOT EXISTS (SELECT FROM outreach.sending_days y WHERE y.org_id = s.org_id AND y.mode = s.mode AND y.owner_id = s.id
              AND y.day = l.at::date AND y.started >= s.daily_limit)))
          AND NOT EXISTS (SELECT FROM outreach.sending_days y WHERE y.org_id = b.org_id AND y.mode = b.mode AND y.owner_id = b.id
            AND y.day = (now() AT TIME ZONE b.time_zone)::date AND y.started >= y.day_limit);
      CREATE VIEW metrics.unread_mailboxes AS
        SELECT count(*) AS mailboxes, min(read_at) AS oldest_at FROM outreach.mailboxes
        WHERE status <> 'removed' AND read_at <= now() AND (read_until IS NULL OR read_until < now());
      ALTER VIEW metrics.queue_load RENAME TO queue_load_but_mail;
      CREATE VIEW metrics.queue_load AS
        SELECT queue, open_lines, oldest_age_s FROM metrics.queue_load_but_mail
        UNION ALL
        SELECT 'outreach-send', mailboxes, greatest(0, extract(epoch FROM clock_timestamp() - oldest_at))::float8
        FROM metrics.due_mailboxes WHERE mailboxes > 0
        UNION ALL
        SELECT 'outreach-receive', mailboxes, greatest(0, extract(epoch FROM clock_timestamp() - oldest_at))::float8
        FROM metrics.unread_mailboxes WHERE mailboxes > 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP VIEW metrics.queue_load;
      ALTER VIEW metrics.queue_load_but_mail RENAME TO queue_load;
      DROP VIEW metrics.due_mailboxes, metrics.unread_mailboxes;
      DROP SCHEMA outreach CASCADE`);
  }
}

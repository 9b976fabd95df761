import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi, describeError } from '../api/http';
import { useMay } from '../api/may';
import { enrollmentsQuery, refreshQueries, sequenceQuery, sequenceStatsQuery } from '../api/queries';
import type { Approval, Enrollment, Sequence } from '../api/resources';
import { SEQUENCE_PARTS, type SequencePart } from '../router';
import { AddressedResult } from '../shell/other-mode';
import { Page } from '../shell/page';
import {
  Button,
  ConfirmButton,
  controls,
  EmptyState,
  ErrorNotice,
  Notice,
  Options,
  QueryResult,
  SelectField,
} from '../ui/controls';
import { DataList, DataTable } from '../ui/data-table';
import { Ago } from '../ui/ago';
import { formatCount, formatDay, formatNumber, formatTime } from '../ui/format';
import { useEntryState } from '../ui/entry-state';
import { usePages } from '../ui/pager';
import { showToast } from '../ui/toasts';
import { EnrollDialog } from './enroll-dialog';
import { ENROLLMENT_STATUSES, EnrollmentBadge, SequenceBadge } from './outreach-badge';
import css from './outreach.module.css';
import { PreviewPart } from './preview-part';

import { StepsEditor } from './steps-editor';
import { opensText, timesText } from './times';

const LABELS: Readonly<Record<SequencePart, string>> = {
  messages: 'Messages',
  people: 'People',
  preview: 'Preview and approval',
  results: 'Results',
};
/** Statuses in which a sequence cannot be changed any more. */
const HAS_ENDED: ReadonlySet<Sequence['status']> = new Set(['completed', 'archived']);
/** Statuses of people who may still get messages. */
const OPEN: ReadonlySet<Enrollment['status']> = new Set(['waiting', 'active']);
/** Reasons that the status does not tell. */
const REASONS: Readonly<Record<string, string>> = {
  unknown_delivery: 'the last message may not have arrived',
  excluded: 'on an exclusion list',
  manual: 'manually',
  taken_out: 'removed',
  requested: 'on request',
  undeliverable: 'the server rejected it five times',
};

/** A sequence: its messages, its people, a preview, and its results. */
export function SequencePage() {
  const { sequenceId } = useParams({ from: '/shell/sequences/$sequenceId' });
  const sequence = useQuery(sequenceQuery(sequenceId));
  return (
    <AddressedResult query={sequence} wayOut={<Link to="/sequences">Back to sequences</Link>}>
      {(found) => <Opened sequence={found} />}
    </AddressedResult>
  );
}

function Opened({ sequence }: { sequence: Sequence }) {
  const { part = sequence.counts.enrolled > 0 ? 'people' : 'messages' } = useSearch({
    from: '/shell/sequences/$sequenceId',
  });
  const navigate = useNavigate();
  const [isUnsaved, setUnsaved] = useState(false);
  const { sequence_id: sequenceId, counts, definition, approval } = sequence;
  const mayChange = useMay('change');
  const path = `/v1/sequences/${sequenceId}`;
  const send = useMutation({
    mutationFn: ({ to, body }: { to: string; body?: object }) =>
      callApi<Sequence>(`${path}/${to}`, { method: 'POST', ...(body ? { body } : {}) }),
    onSuccess: (_, { to }) =>
      showToast(to === 'pause' ? 'Paused. Nothing more is sent.' : 'Sending started.'),
    // After a failure, too: the request may have arrived.
    onSettled: () => refreshQueries('sequence', 'sequences', 'enrollments', 'approvals'),
  });
  const archive = useMutation({
    mutationFn: () =>
      callApi<Sequence>(path, {
        method: 'PATCH',
        body: { version: sequence.version, changes: { status: 'archived' } },
      }),
    onSuccess: () => {
      refreshQueries('sequence', 'sequences', 'enrollments', 'approvals');
      showToast('Archived. People whom it has not contacted can be added to another sequence.');
    },
  });
  const isApproved = sequence.status === 'approved' && approval?.status === 'approved';
  return (
    <Page
      title={sequence.name}
      intro={
        <span className={controls.row}>
          <SequenceBadge {...sequence} />
          {formatCount(sequence.steps, 'message')} · {formatCount(counts.enrolled, 'person', 'people')} ·{' '}
          {timesText(definition)}
        </span>
      }
      actions={
        mayChange && (
          <>
            {sequence.status !== 'active' && sequence.status !== 'archived' && (
              <ConfirmButton
                label="Archive"
                confirmLabel="Archive permanently"
                isBusy={archive.isPending}
                onConfirm={() => archive.mutate()}
              />
            )}
            {sequence.status === 'active' && (
              <Button isBusy={send.isPending} onClick={() => send.mutate({ to: 'pause' })}>
                Pause
              </Button>
            )}
            {isApproved && (
              <Button
                look="primary"
                isBusy={send.isPending}
                onClick={() => send.mutate({ to: 'activate', body: { approval_id: approval.approval_id } })}
              >
                Start sending
              </Button>
            )}
          </>
        )
      }
    >
      <ErrorNotice error={send.error ?? archive.error} />
      <ApprovalNotice sequence={sequence} approval={approval} />
      <nav aria-label="Parts of the sequence" className={controls.tabs}>
        {SEQUENCE_PARTS.map((each) => (
          <Link
            key={each}
            to="/sequences/$sequenceId"
            params={{ sequenceId }}
            search={{ part: each }}
            aria-current={each === part ? 'page' : undefined}
          >
            {LABELS[each]}
          </Link>
        ))}
      </nav>
      {/* Stays mounted while another part is shown, because unsaved changes would be lost. */}
      <div hidden={part !== 'messages'}>
        {HAS_ENDED.has(sequence.status) || !mayChange ? (
          <WrittenMessages sequence={sequence} />
        ) : (
          <StepsEditor key={sequenceId} sequence={sequence} onUnsaved={setUnsaved} />
        )}
      </div>
      {part === 'people' && <People sequence={sequence} />}
      {part === 'preview' && (
        <PreviewPart
          sequence={sequence}
          isUnsaved={isUnsaved}
          onAsked={(id) => void navigate({ to: '/approvals', search: { approval: id } })}
        />
      )}
      {part === 'results' && <Results sequence={sequence} />}
    </Page>
  );
}

/** Shows the messages of a sequence read-only. */
function WrittenMessages({ sequence }: { sequence: Sequence }) {
  return (
    <section className={controls.stack}>
      {sequence.definition.steps.map(({ subject, delay_days: days, body }, index) => (
        <article key={index} className={css.message}>
          <header>
            <strong>{subject ?? `Message ${index + 1}`}</strong>
            {index > 0 && (
              <span className={controls.muted}>{formatCount(days, 'day')} after the previous message</span>
            )}
          </header>
          <div className={css.text}>{body}</div>
        </article>
      ))}
    </section>
  );
}

function ApprovalNotice({ sequence, approval }: { sequence: Sequence; approval: Approval | null }) {
  const mayChange = useMay('change');
  if (sequence.status_reason !== null)
    return (
      <Notice look="amber" action={<Link to="/settings/mailboxes">Go to mailboxes</Link>}>
        {sequence.status_reason} Pause it to choose other mailboxes, or to request a new approval.
      </Notice>
    );
  if (approval?.status === 'pending')
    return (
      <Notice
        look="amber"
        action={
          <Link to="/approvals" search={{ approval: approval.approval_id }}>
            {mayChange ? 'Review' : 'Look'}
          </Link>
        }
      >
        {approval.summary} waits for a person to approve it.
      </Notice>
    );
  if (sequence.counts.unknown > 0)
    return (
      <Notice look="amber" action={<Link to="/inbox">Go to inbox</Link>}>
        {formatCount(sequence.counts.unknown, 'message')} may or may not have arrived: the connection broke
        before the server answered. They are not sent again until someone decides.
      </Notice>
    );
  if (approval?.status === 'rejected' && ['draft', 'paused'].includes(sequence.status))
    return (
      <Notice look="amber">It was rejected: nothing is sent. Edit it and request approval again.</Notice>
    );
  if (sequence.status === 'archived')
    return <Notice>It is archived: nothing is sent, and it cannot be changed.</Notice>;
  if (sequence.status === 'paused')
    return <Notice>It is paused: nothing is sent. To continue it needs a new approval.</Notice>;
  return null;
}

/** Returns whether its messages can have answers: these still arrive when it has ended or is paused. */
function isAnswered({ status }: Sequence): boolean {
  return status === 'active' || status === 'paused' || status === 'completed';
}

function People({ sequence }: { sequence: Sequence }) {
  const [isEnrolling, setEnrolling] = useState(false);
  const mayChange = useMay('change');
  const pages = usePages('people');
  const [status, setStatus] = useEntryState('status', '');
  const enrollments = useQuery(
    enrollmentsQuery(sequence.sequence_id, isAnswered(sequence), pages.position, status),
  );
  return (
    <section className={controls.stack}>
      <div className={controls.spread}>
        <p className={controls.muted}>
          People who are suppressed, excluded, unverified or already in a sequence are skipped.
        </p>
        {sequence.status !== 'archived' && mayChange && (
          <Button look="primary" onClick={() => setEnrolling(true)}>
            Add people
          </Button>
        )}
      </div>
      {sequence.counts.enrolled > 0 && (
        <SelectField
          label="Status"
          value={status}
          onChange={({ target }) => {
            setStatus(target.value);
            pages.toFirst();
          }}
        >
          <option value="">All</option>
          <Options
            of={ENROLLMENT_STATUSES.map((each) => [each, `${each} (${formatNumber(sequence.counts[each])})`])}
          />
        </SelectField>
      )}
      <DataList
        label="People of the sequence"
        query={enrollments}
        pages={pages}
        pageLabels={['Previous', 'Next']}
        empty={
          status ? (
            <EmptyState title="Nobody has this status" />
          ) : (
            <EmptyState title="No people yet">Add people with an e-mail address from a table.</EmptyState>
          )
        }
        keyOf={(enrollment) => enrollment.enrollment_id}
        columns={{
          Address: { line: ({ email }) => email },
          Status: ({ status, reason }) => (
            <>
              <EnrollmentBadge status={status} />
              {reason && REASONS[reason] && <span className={controls.muted}> {REASONS[reason]}</span>}
            </>
          ),
          Messages: { number: ({ step }) => `${step} of ${sequence.steps}` },
          'Next message': (enrollment) => nextText(enrollment, sequence),
          Thread: {
            action: ({ thread_id: thread }) =>
              thread !== null && (
                <Link to="/inbox" search={{ thread }}>
                  Open
                </Link>
              ),
          },
          Remove: {
            action: ({ email, status }) =>
              OPEN.has(status) &&
              mayChange && <RemovePerson email={email} sequenceId={sequence.sequence_id} />,
          },
        }}
      />
      {isEnrolling && <EnrollDialog sequence={sequence} onClose={() => setEnrolling(false)} />}
    </section>
  );
}

/** @returns when the next message to a person may be sent: a due one waits for the sending times */
function nextText({ next_at: next }: Enrollment, { status, definition }: Sequence): string {
  if (next === null) return '–';
  if (status === 'paused') return 'paused';
  return Date.parse(next) > Date.now() ? formatTime(next) : (opensText(definition) ?? 'due');
}

function RemovePerson({ email, sequenceId }: { email: string; sequenceId: string }) {
  const takeOut = useMutation({
    mutationFn: () =>
      callApi('/v1/contacts/stop', { method: 'POST', body: { email, sequence_id: sequenceId } }),
    onSuccess: () => {
      refreshQueries('sequence', 'sequences', 'enrollments', 'preview', 'approvals');
      showToast(`This sequence no longer writes to ${email}.`);
    },
    onError: (error) => showToast(describeError(error)),
  });
  return (
    <ConfirmButton
      label="Remove"
      about={email}
      confirmLabel="Remove permanently"
      size="small"
      isBusy={takeOut.isPending}
      onConfirm={() => takeOut.mutate()}
    />
  );
}

function Results({ sequence }: { sequence: Sequence }) {
  const stats = useQuery(sequenceStatsQuery(sequence.sequence_id, isAnswered(sequence)));
  return (
    <QueryResult query={stats}>
      {({ totals, by_step: steps, by_day: byDay }) =>
        totals.sent === 0 ? (
          <EmptyState title="Nothing sent yet" />
        ) : (
          <div className={controls.stack}>
            <ResultsTable
              by="Message"
              rows={[
                ...steps.map(({ step, ...counts }) => ({ name: `Message ${step + 1}`, ...counts })),
                { ...totals, name: 'All' },
              ]}
            />
            <ResultsTable
              by="Day"
              rows={byDay.map(({ day, ...counts }) => ({ name: formatDay(`${day}T12:00:00`), ...counts }))}
            />
            <p className={controls.muted}>
              A reply ends the sequence for a person; an out-of-office message does not. Created{' '}
              <Ago at={sequence.created_at} />.
            </p>
          </div>
        )
      }
    </QueryResult>
  );
}

interface ResultsRow {
  readonly name: string;
  readonly sent: number;
  readonly replied: number;
  readonly bounced: number;
  readonly unsubscribed: number;
}

function ResultsTable({ by, rows }: { by: 'Message' | 'Day'; rows: readonly ResultsRow[] }) {
  return (
    <DataTable
      label={`Results by ${by.toLowerCase()}`}
      rows={rows}
      keyOf={({ name }) => name}
      columns={{
        [by]: ({ name }) => name,
        Sent: { number: ({ sent }) => formatNumber(sent) },
        Replied: { number: ({ replied }) => formatNumber(replied) },
        Bounced: { number: ({ bounced }) => formatNumber(bounced) },
        Unsubscribed: { number: ({ unsubscribed }) => formatNumber(unsubscribed) },
      }}
    />
  );
}

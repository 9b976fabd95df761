import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { callOnce } from '../api/http';
import { useMay } from '../api/may';
import { useMode } from '../api/mode';
import { mailboxesQuery, refreshQueries, sequencesQuery } from '../api/queries';
import type { Mailbox, Sequence } from '../api/resources';
import { useAction } from '../api/use-action';
import { Page } from '../shell/page';
import {
  Button,
  CheckField,
  controls,
  DataTable,
  EmptyState,
  ErrorNotice,
  Field,
  Notice,
  QueryResult,
  TextField,
} from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatAgo, formatNumber } from '../ui/format';
import { SequenceBadge } from './outreach-badge';
import { Pager, useCursorPages } from '../ui/pager';
import { faultWords } from './fault-words';
import { MailboxChoice } from './mailbox-choice';
import { FIRST_NAME } from './template-names';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const WORKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;

/** Lists sequences, each with its results. */
export function SequencesPage() {
  const pages = useCursorPages();
  const sequences = useQuery(sequencesQuery(pages.cursor));
  const [isCreating, setCreating] = useState(false);
  const mode = useMode();
  const mayChange = useMay('change');
  return (
    <Page
      title="Sequences"
      intro="E-mail sequences to the people of a table. A person approves the exact text and the exact recipients before anything is sent."
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setCreating(true)}>
            New sequence
          </Button>
        )
      }
    >
      <QueryResult query={sequences}>
        {({ items, next_cursor: next }) =>
          items.length === 0 ? (
            <EmptyState
              title="No sequences yet"
              action={mayChange && <Button onClick={() => setCreating(true)}>Create a sequence</Button>}
            >
              {mode === 'test'
                ? 'Try a whole campaign here: nothing leaves this installation, and simulated recipients reply.'
                : 'Switch to test mode to try a whole campaign: nothing leaves this installation, and simulated recipients reply.'}
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Sequences"
                head={
                  <>
                    <th>Name</th>
                    <th>Status</th>
                    <th className={controls.number}>People</th>
                    <th className={controls.number}>Sent</th>
                    <th className={controls.number}>Replied</th>
                    <th className={controls.number}>Bounced</th>
                    <th>Created</th>
                  </>
                }
              >
                {items.map((sequence) => (
                  <tr key={sequence.sequence_id}>
                    <td className={controls.line}>
                      <Link to="/sequences/$sequenceId" params={{ sequenceId: sequence.sequence_id }}>
                        {sequence.name}
                      </Link>
                    </td>
                    <td>
                      <SequenceBadge {...sequence} />
                    </td>
                    <td className={controls.number}>{formatNumber(sequence.counts.enrolled)}</td>
                    <td className={controls.number}>{formatNumber(sequence.counts.sent)}</td>
                    <td className={controls.number}>{formatNumber(sequence.counts.replied)}</td>
                    <td className={controls.number}>{formatNumber(sequence.counts.bounced)}</td>
                    <td>{formatAgo(sequence.created_at)}</td>
                  </tr>
                ))}
              </DataTable>
              <Pager pages={pages} next={next} />
            </>
          )
        }
      </QueryResult>
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
    </Page>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const mailboxes = useQuery(mailboxesQuery());
  return (
    <Dialog title="New sequence" onClose={onClose}>
      <QueryResult query={mailboxes}>
        {({ items }) =>
          items.length === 0 ? (
            <Notice
              action={
                <Link to="/settings/mailboxes" search={{ connect: 'new' }}>
                  Connect a mailbox
                </Link>
              }
            >
              Messages need a mailbox to be sent from. In test mode any address works.
            </Notice>
          ) : (
            <CreateForm mailboxes={items} />
          )
        }
      </QueryResult>
    </Dialog>
  );
}

function CreateForm({ mailboxes }: { mailboxes: readonly Mailbox[] }) {
  const navigate = useNavigate();
  const [from, setFrom] = useState<readonly string[]>(mailboxes.slice(0, 1).map(({ id }) => id));
  const create = useAction({
    mutationFn: (body: object) => callOnce<Sequence>('/v1/sequences', body),
    onSuccess: () => refreshQueries('sequences'),
    onDone: ({ sequence_id: sequenceId }) =>
      void navigate({ to: '/sequences/$sequenceId', params: { sequenceId } }),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    create.mutate({
      name: String(form.get('name')).trim(),
      mailbox_ids: from,
      time_zone: ZONE,
      window: form.has('always')
        ? { days: [...WORKDAYS, 'sat', 'sun'], from: '00:00', to: '24:00' }
        : { days: WORKDAYS, from: '09:00', to: '17:00' },
      steps: [{ delay_days: 0, subject: String(form.get('subject')), body: String(form.get('body')) }],
    });
  };
  return (
    <form className={controls.stack} onSubmit={submit}>
      <TextField
        label="Name"
        name="name"
        required
        autoFocus
        maxLength={200}
        placeholder="Data teams, spring"
      />
      <fieldset className={controls.choices}>
        <legend>Send from</legend>
        <MailboxChoice mailboxes={mailboxes} chosen={from} onChange={setFrom} />
      </fieldset>
      <TextField label="Subject" name="subject" required maxLength={500} placeholder="Your data team" />
      <Field
        label="First message"
        hint={`Put columns of the table in double braces: {{ company_name }}. Where the table has full names only, the first name is ${FIRST_NAME}. A link to unsubscribe is added.`}
      >
        {(props) => (
          <textarea
            {...props}
            name="body"
            required
            rows={8}
            maxLength={20_000}
            placeholder={`Hello ${FIRST_NAME},\n\n…`}
          />
        )}
      </Field>
      <CheckField
        label={`Also at night and on weekends (otherwise on weekdays from 9 to 17, ${ZONE})`}
        name="always"
      />
      <ErrorNotice error={create.error} words={faultWords} />
      <Button type="submit" look="primary" isBusy={create.isPending} disabled={from.length === 0}>
        Create draft
      </Button>
    </form>
  );
}

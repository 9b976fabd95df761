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
  EmptyState,
  ErrorNotice,
  Field,
  Notice,
  QueryResult,
  TextField,
} from '../ui/controls';
import { DataList } from '../ui/data-table';
import { Dialog } from '../ui/dialog';
import { Ago } from '../ui/ago';
import { formatNumber } from '../ui/format';
import { SequenceBadge } from './outreach-badge';
import { usePages } from '../ui/pager';
import { faultWords } from './fault-words';
import { MailboxChoice } from './mailbox-choice';
import { FIRST_NAME } from './template-names';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const WORKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;

/** Lists sequences, each with its results. */
export function SequencesPage() {
  const pages = usePages('sequences');
  const sequences = useQuery(sequencesQuery(pages.position));
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
      <DataList
        label="Sequences"
        query={sequences}
        pages={pages}
        empty={
          <EmptyState
            title="No sequences yet"
            action={mayChange && <Button onClick={() => setCreating(true)}>Create a sequence</Button>}
          >
            {mode === 'test'
              ? 'Try a whole campaign here: nothing leaves this installation, and simulated recipients reply.'
              : 'Switch to test mode to try a whole campaign: nothing leaves this installation, and simulated recipients reply.'}
          </EmptyState>
        }
        keyOf={({ sequence_id: id }) => id}
        columns={{
          Name: {
            line: ({ sequence_id: sequenceId, name }) => (
              <Link to="/sequences/$sequenceId" params={{ sequenceId }}>
                {name}
              </Link>
            ),
          },
          Status: (sequence) => <SequenceBadge {...sequence} />,
          People: { number: ({ counts }) => formatNumber(counts.enrolled) },
          Sent: { number: ({ counts }) => formatNumber(counts.sent) },
          Replied: { number: ({ counts }) => formatNumber(counts.replied) },
          Bounced: { number: ({ counts }) => formatNumber(counts.bounced) },
          Created: (sequence) => <Ago at={sequence.created_at} />,
        }}
      />
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

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { callApi } from '../api/http';
import { May, useMay } from '../api/may';
import { useMode } from '../api/mode';
import { mailboxesQuery, readAgain, refreshQueries } from '../api/queries';
import type { Mailbox } from '../api/resources';
import { useAction } from '../api/use-action';
import { useEdit } from '../api/use-edit';
import {
  Badge,
  Button,
  ConfirmButton,
  CheckField,
  controls,
  EmptyState,
  ErrorNotice,
  Field,
  Notice,
  SelectField,
  TextField,
  type BadgeLook,
} from '../ui/controls';
import { DataList } from '../ui/data-table';
import { Dialog } from '../ui/dialog';
import { formatNumber } from '../ui/format';
import { showToast } from '../ui/toasts';

const LOOKS: Readonly<Record<Mailbox['status'], BadgeLook>> = {
  connected: 'good',
  failing: 'bad',
  paused: 'warn',
};
const RECORDS: Readonly<Record<'good' | 'weak' | 'missing' | 'unknown', BadgeLook>> = {
  good: 'good',
  weak: 'warn',
  missing: 'bad',
  unknown: 'plain',
};
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const RAMP_UP = 'Warm up: ten messages on the first day, ten more on each day after';

/** Lists mailboxes; connects, limits, pauses and removes them. */
export function MailboxesPage() {
  const mailboxes = useQuery(mailboxesQuery());
  const navigate = useNavigate();
  const { connect } = useSearch({ from: '/shell/settings/mailboxes' });
  const [openedId, setOpenedId] = useState<string | null>(null);
  const mayChange = useMay('change');
  const opened = mailboxes.data?.items.find(({ id }) => id === openedId);
  const show = (address: string | undefined) =>
    void navigate({
      to: '/settings/mailboxes',
      search: { connect: address },
      replace: address === undefined,
    });
  return (
    <section className={controls.stack}>
      <div className={controls.spread}>
        <p className={controls.muted}>
          Addresses that sequences are sent from, and that receive the replies.
        </p>
        <May task="change">
          <Button look="primary" onClick={() => show('new')}>
            Connect mailbox
          </Button>
        </May>
      </div>
      <DataList
        label="Mailboxes"
        query={mailboxes}
        empty={
          <EmptyState title="No mailboxes yet">
            In test mode any address works: messages go to a simulator that replies.
          </EmptyState>
        }
        keyOf={({ id }) => id}
        columns={{
          Address: {
            line: ({ id, address }) => (
              <Button look="quiet" size="small" onClick={() => setOpenedId(id)}>
                {address}
              </Button>
            ),
          },
          Status: ({ status }) => <Badge look={LOOKS[status]}>{status}</Badge>,
          'Sent today': {
            number: (mailbox) =>
              `${formatNumber(mailbox.sent_today)} of ${formatNumber(mailbox.limit_today)}`,
          },
          'Daily limit': { number: (mailbox) => formatNumber(mailbox.daily_limit) },
          Domain: (mailbox) => <DomainBadges mailbox={mailbox} />,
        }}
      />
      {connect !== undefined && mayChange && (
        <ConnectDialog address={connect.includes('@') ? connect : ''} onClose={() => show(undefined)} />
      )}
      {opened && <MailboxDialog mailbox={opened} onClose={() => setOpenedId(null)} />}
    </section>
  );
}

function DomainBadges({ mailbox: { domain } }: { mailbox: Mailbox }) {
  if (domain === null) return <span className={controls.muted}>not needed</span>;
  return (
    <span className={controls.row}>
      {(['spf', 'dkim', 'dmarc'] as const).map((name) => (
        <Badge key={name} look={RECORDS[domain[name].status]}>
          {name.toUpperCase()}
        </Badge>
      ))}
    </span>
  );
}

function ConnectDialog({ address, onClose }: { address: string; onClose: () => void }) {
  const isTest = useMode() === 'test';
  const connect = useAction({
    mutationFn: (body: object) => callApi<Mailbox>('/mailboxes', { method: 'POST', body }),
    onSuccess: () => showToast('Connected.'),
    // After a failure, too: it may be connected already.
    onSettled: () => refreshQueries('mailboxes'),
    onDone: onClose,
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name)).trim();
    connect.mutate({
      address: text('address'),
      ...(text('name') === '' ? {} : { name: text('name') }),
      daily_limit: Number(text('daily_limit')),
      time_zone: ZONE,
      // A short trial would otherwise end with the first day's limit of ten messages.
      ramp_up: form.has('ramp_up'),
      ...(isTest ? {} : serversOf(form)),
      ...(isTest || text('dkim_key') === ''
        ? {}
        : { dkim: { selector: text('dkim_selector'), private_key: text('dkim_key') } }),
    });
  };
  return (
    <Dialog title="Connect mailbox" isAddressed onClose={onClose}>
      <form className={controls.stack} onSubmit={submit}>
        {isTest && (
          <Notice>
            Test mode needs no server. Recipients at sandbox.test react by their address:
            reply+anna@sandbox.test replies, bounce+… bounces, away+… is out of office.
          </Notice>
        )}
        <TextField label="Address" name="address" type="email" required autoFocus defaultValue={address} />
        <TextField label="Sender name" name="name" maxLength={200} />
        {!isTest && (
          <>
            <ServersFields />
            <details>
              <summary>Sign messages with your own DKIM key</summary>
              <div className={controls.stack}>
                <TextField label="Selector" name="dkim_selector" placeholder="quarry" />
                <Field label="Private key" hint="In PEM format. Most providers sign messages themselves.">
                  {(props) => <textarea {...props} name="dkim_key" rows={4} />}
                </Field>
              </div>
            </details>
            <CheckField label={RAMP_UP} name="ramp_up" defaultChecked />
          </>
        )}
        <TextField
          label="Daily message limit"
          name="daily_limit"
          type="number"
          min={1}
          max={10_000}
          required
          defaultValue={isTest ? 1_000 : 50}
        />
        <ErrorNotice error={connect.error} />
        <Button type="submit" look="primary" isBusy={connect.isPending}>
          {isTest ? 'Connect' : 'Sign in and connect'}
        </Button>
      </form>
    </Dialog>
  );
}

/** Fields for both servers of a mailbox, which share a user and a password. */
function ServersFields() {
  return (
    <>
      <TextField label="User" name="user" required autoComplete="off" hint="Usually the address." />
      <TextField
        label="Password"
        name="password"
        type="password"
        required
        autoComplete="off"
        hint="Gmail, Outlook and others need an app password."
      />
      <ServerFields name="smtp" label="Outgoing mail (SMTP)" port={465} host="smtp.acme.example" />
      <ServerFields name="imap" label="Incoming mail (IMAP)" port={993} host="imap.acme.example" />
    </>
  );
}

/** @returns both servers from the fields of {@link ServersFields} */
function serversOf(form: FormData) {
  const text = (name: string) => String(form.get(name)).trim();
  const server = (name: 'smtp' | 'imap') => ({
    host: text(`${name}_host`),
    port: Number(text(`${name}_port`)),
    security: text(`${name}_security`),
    user: text('user'),
    password: String(form.get('password')),
  });
  return { smtp: server('smtp'), imap: server('imap') };
}

interface ServerFieldsProps {
  readonly name: 'smtp' | 'imap';
  readonly label: string;
  readonly host: string;
  readonly port: number;
}

function ServerFields({ name, label, host, port }: ServerFieldsProps) {
  return (
    <fieldset className={controls.choices}>
      <legend>{label}</legend>
      <TextField label="Server" name={`${name}_host`} required placeholder={host} />
      <TextField label="Port" name={`${name}_port`} type="number" required defaultValue={port} />
      <SelectField label="Encryption" name={`${name}_security`} defaultValue="tls">
        <option value="tls">TLS</option>
        <option value="starttls">STARTTLS</option>
      </SelectField>
    </fieldset>
  );
}

const LABELS = {
  name: 'Sender name',
  daily_limit: 'Daily message limit',
  gap_seconds: 'Seconds between two messages, on average',
  ramp_up: 'Warm up',
} satisfies Partial<Record<keyof Mailbox, string>>;

function MailboxDialog({ mailbox, onClose }: { mailbox: Mailbox; onClose: () => void }) {
  const path = `/mailboxes/${mailbox.id}`;
  const isConnected = mailbox.status === 'connected';
  const isTest = useMode() === 'test';
  const mayChange = useMay('change');
  const { opened, changes, words, onRefused } = useEdit(mailbox, {
    list: () => readAgain(mailboxesQuery()),
    labels: LABELS,
  });
  const change = useAction({
    mutationFn: (body: object | null) =>
      callApi(path, body === null ? { method: 'DELETE' } : { method: 'PATCH', body }),
    onSuccess: () => refreshQueries('mailboxes'),
    onError: onRefused,
    onDone: onClose,
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    change.mutate(
      changes({
        name: String(form.get('name')) || null,
        daily_limit: Number(form.get('daily_limit')),
        gap_seconds: Number(form.get('gap_seconds')),
        ramp_up: form.has('ramp_up'),
      }),
    );
  };
  const signIn = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate(serversOf(new FormData(event.currentTarget)));
  };
  return (
    <Dialog
      title={mailbox.address}
      onClose={onClose}
      actions={
        mayChange && (
          <>
            <ConfirmButton
              label="Remove"
              confirmLabel="Remove permanently"
              isBusy={change.isPending}
              onConfirm={() => change.mutate(null)}
            />
            <Button
              isBusy={change.isPending}
              onClick={() => change.mutate({ status: isConnected ? 'paused' : 'connected' })}
            >
              {isConnected ? 'Pause' : 'Connect again'}
            </Button>
          </>
        )
      }
    >
      <div className={controls.stack}>
        {mailbox.status_reason && <Notice look="amber">{mailbox.status_reason}</Notice>}
        {mailbox.domain &&
          (['spf', 'dkim', 'dmarc'] as const).map((name) => (
            <p key={name}>
              <Badge look={RECORDS[mailbox.domain![name].status]}>{name.toUpperCase()}</Badge>{' '}
              {mailbox.domain![name].explanation}
            </p>
          ))}
        <form className={controls.stack} onSubmit={submit}>
          <TextField
            label={LABELS.name}
            name="name"
            maxLength={200}
            defaultValue={opened.name ?? ''}
            readOnly={!mayChange}
          />
          <TextField
            label={LABELS.daily_limit}
            name="daily_limit"
            type="number"
            min={1}
            max={10_000}
            required
            defaultValue={opened.daily_limit}
            readOnly={!mayChange}
          />
          <TextField
            label={LABELS.gap_seconds}
            name="gap_seconds"
            type="number"
            min={0}
            max={3_600}
            required
            defaultValue={opened.gap_seconds}
            readOnly={!mayChange}
          />
          <CheckField label={RAMP_UP} name="ramp_up" defaultChecked={opened.ramp_up} disabled={!mayChange} />
          {mayChange && (
            <Button type="submit" isBusy={change.isPending}>
              Save
            </Button>
          )}
        </form>
        {mayChange && !isTest && (
          <details>
            <summary>Change the password or the servers</summary>
            <form className={controls.stack} onSubmit={signIn}>
              <ServersFields />
              <Button type="submit" isBusy={change.isPending}>
                Sign in and save
              </Button>
            </form>
          </details>
        )}
        <ErrorNotice error={change.error} words={words} />
      </div>
    </Dialog>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { callApi, callOnce } from '../api/http';
import { useMay } from '../api/may';
import { readAgain, refreshQueries, webhookDeliveriesQuery, webhooksQuery } from '../api/queries';
import type { Webhook, WebhookDelivery, WebhookReplay, WebhookWithSecret } from '../api/resources';
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
  Notice,
  TextField,
  type BadgeLook,
} from '../ui/controls';
import { DataList } from '../ui/data-table';
import { CopyField } from '../ui/copy-field';
import { Dialog } from '../ui/dialog';
import { Ago } from '../ui/ago';
import { formatCount, formatDuration, formatTime } from '../ui/format';
import { usePages } from '../ui/pager';
import { showToast } from '../ui/toasts';

/** Events of a webhook with their labels, and whether each is chosen by default. */
const EVENTS: ReadonlyArray<readonly [Webhook['types'][number], string, boolean]> = [
  ['run.completed', 'Run completed', true],
  ['run.failed', 'Run failed', true],
  ['batch.completed', 'Batch completed', true],
  ['enrichment.completed', 'Column filled', false],
  ['go.completed', 'Research completed', false],
  ['go.failed', 'Research failed', false],
  ['export.created', 'Export ready', false],
  ['monitor.run.completed', 'Monitor run completed', false],
  ['monitor.run.failed', 'Monitor run failed', false],
  ['monitor.paused', 'Monitor paused', false],
  ['sequence.replied', 'Reply to a sequence', false],
  ['sequence.bounced', 'Message of a sequence bounced', false],
  ['credits.low', 'Fewer than 100 credits left', false],
  ['credits.exhausted', 'No credits left', false],
];
const TEST = 'webhook.test';
const labelOf = (type: string) =>
  type === TEST ? 'Test' : (EVENTS.find(([each]) => each === type)?.[1] ?? type);
const REASONS: Readonly<Record<NonNullable<Webhook['reason']>, string>> = {
  requested: 'switched off',
  failing: 'failed for five days',
  gone: 'answered 410 Gone',
};
const LOOKS: Readonly<Record<WebhookDelivery['status'], BadgeLook>> = {
  pending: 'busy',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

const OVERLAP_HOURS = 24;
/** Days for which events are kept, as docs/events.md says. */
const KEPT_DAYS = 30;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Lists webhooks; creates, tests, opens, switches and removes them. */
export function WebhooksPage() {
  const webhooks = useQuery(webhooksQuery());
  const [isCreating, setCreating] = useState(false);
  const [opened, setOpened] = useState<Webhook | null>(null);
  const mayChange = useMay('change');
  return (
    <section className={controls.stack}>
      <div className={controls.spread}>
        <p className={controls.muted}>Addresses that receive signed messages when something happens.</p>
        {mayChange && (
          <Button look="primary" onClick={() => setCreating(true)}>
            Add webhook
          </Button>
        )}
      </div>
      <DataList
        label="Webhooks"
        query={webhooks}
        empty={
          <EmptyState title="No webhooks yet">
            Notify n8n, Make, Zapier or your own program when a run completes.
          </EmptyState>
        }
        keyOf={({ id }) => id}
        columns={{
          Address: {
            line: (webhook) => (
              <Button look="quiet" size="small" onClick={() => setOpened(webhook)}>
                {webhook.url}
              </Button>
            ),
          },
          Events: ({ types }) => formatCount(types.length, 'type'),
          Status: ({ status, reason }) => (
            <Badge look={status === 'active' ? 'good' : 'bad'}>{reason ? REASONS[reason] : status}</Badge>
          ),
          Since: (webhook) => <Ago at={webhook.created_at} />,
        }}
      />
      {isCreating && <CreateDialog onClose={() => setCreating(false)} />}
      {opened && <WebhookDialog webhook={opened} onClose={() => setOpened(null)} />}
    </section>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const create = useMutation({
    mutationFn: (body: WebhookFields) => callOnce<WebhookWithSecret>('/v1/webhooks', body),
    onSuccess: () => refreshQueries('webhooks'),
  });
  if (create.data)
    return (
      <Dialog title="Your new webhook" onClose={onClose} actions={<Button onClick={onClose}>Done</Button>}>
        <Notice look="amber">The secret is shown only once. The receiver verifies messages with it.</Notice>
        <CopyField label="Secret" value={create.data.secret} />
      </Dialog>
    );
  return (
    <Dialog title="Add webhook" onClose={onClose}>
      <WebhookForm
        label="Add"
        isBusy={create.isPending}
        error={create.error}
        onSubmit={(fields) => create.mutate(fields)}
      />
    </Dialog>
  );
}

type WebhookFields = Pick<Webhook, 'url' | 'types'>;

const LABELS = { url: 'Address', types: 'Events' };

/** Edits address and events of a webhook; creates a new one when none is given. */
function WebhookForm({
  webhook,
  label,
  isBusy,
  error,
  words,
  onSubmit,
}: {
  webhook?: WebhookFields;
  label: string;
  isBusy: boolean;
  error: unknown;
  words?: (text: string) => string;
  onSubmit: (fields: WebhookFields) => void;
}) {
  const [isMute, setMute] = useState(false);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const isChosen = new Set(form.getAll('types'));
    const known = webhook?.types ?? [];
    const types = [
      // Types that the form does not show stay.
      ...known.filter((type) => isChosen.has(type) || !EVENTS.some(([each]) => each === type)),
      ...EVENTS.flatMap(([type]) => (isChosen.has(type) && !known.includes(type) ? type : [])),
    ];
    onSubmit({ url: String(form.get('url')).trim(), types });
  };
  return (
    <form
      className={controls.stack}
      onSubmit={submit}
      onChange={({ currentTarget }) => setMute(!new FormData(currentTarget).has('types'))}
    >
      <TextField
        label="Address"
        name="url"
        type="url"
        required
        autoFocus
        defaultValue={webhook?.url}
        placeholder="https://hooks.acme.example/quarry"
        hint="Must be https and publicly reachable, unless the operator allows a host on your own network."
      />
      <fieldset className={controls.choices}>
        <legend>Events</legend>
        {EVENTS.map(([type, words, isUsual]) => (
          <CheckField
            key={type}
            label={words}
            name="types"
            value={type}
            defaultChecked={webhook ? webhook.types.includes(type) : isUsual}
          />
        ))}
        {isMute && (
          <p className={controls.problem} role="alert">
            Choose at least one.
          </p>
        )}
      </fieldset>
      <ErrorNotice error={error} words={words} />
      <Button type="submit" look="primary" isBusy={isBusy} disabled={isMute}>
        {label}
      </Button>
    </form>
  );
}

function WebhookDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const path = `/v1/webhooks/${webhook.id}`;
  const isActive = webhook.status === 'active';
  const mayChange = useMay('change');
  const [isEditing, setEditing] = useState(false);
  const pages = usePages();
  const deliveries = useQuery(webhookDeliveriesQuery(webhook.id, pages.position));
  const send = useMutation({
    mutationFn: ({ to, body = {} }: { to: string; body?: object }) =>
      callApi<Partial<WebhookReplay>>(`${path}${to}`, { method: 'POST', body }),
    onSuccess: ({ deliveries, next_since: next }, { to }) => {
      refreshQueries('deliveries');
      if (deliveries === undefined) showToast(to === '/test' ? 'Test queued.' : 'Message queued again.');
      else
        showToast(
          `${formatCount(deliveries, 'message')} queued.${next ? ' Repeat it later: there are more.' : ''}`,
        );
    },
  });
  const rotate = useMutation({
    mutationFn: () => callOnce<WebhookWithSecret>(`${path}/rotate`, { overlap_hours: OVERLAP_HOURS }),
  });
  const { opened, changes, words, onRefused } = useEdit(webhook, {
    list: () => readAgain(webhooksQuery()),
    labels: LABELS,
  });
  const change = useAction({
    mutationFn: (fields: object | null) =>
      callApi(path, fields === null ? { method: 'DELETE' } : { method: 'PATCH', body: fields }),
    onSuccess: () => refreshQueries('webhooks'),
    onError: onRefused,
    onDone: onClose,
  });
  if (isEditing)
    return (
      <Dialog title={webhook.url} onClose={onClose}>
        <WebhookForm
          webhook={opened}
          label="Save"
          isBusy={change.isPending}
          error={change.error}
          words={words}
          onSubmit={(fields) => change.mutate(changes(fields))}
        />
      </Dialog>
    );
  return (
    <Dialog
      title={webhook.url}
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
              onClick={() => change.mutate({ status: isActive ? 'disabled' : 'active' })}
            >
              {isActive ? 'Switch off' : 'Switch on'}
            </Button>
            <Button look="primary" isBusy={send.isPending} onClick={() => send.mutate({ to: '/test' })}>
              Send test
            </Button>
          </>
        )
      }
    >
      <p className={controls.muted}>{webhook.types.map((type) => labelOf(type)).join(', ')}</p>
      {mayChange && (
        <div className={controls.row}>
          <Button size="small" onClick={() => setEditing(true)}>
            Edit
          </Button>
          {!rotate.data && (
            <ConfirmButton
              label="New secret"
              confirmLabel={`Rotate: the old secret ends in ${OVERLAP_HOURS} hours`}
              size="small"
              isBusy={rotate.isPending}
              onConfirm={() => rotate.mutate()}
            />
          )}
          {/* Failed ones may be on other pages. */}
          {isActive && deliveries.data && deliveries.data.items.length > 0 && (
            <Button
              size="small"
              isBusy={send.isPending}
              onClick={() =>
                send.mutate({ to: '/replay', body: { since: daysAgo(KEPT_DAYS), only_failed: true } })
              }
            >
              Resend all failed
            </Button>
          )}
        </div>
      )}
      {rotate.data && (
        <>
          <Notice look="amber">
            The new secret is shown only once. For {OVERLAP_HOURS} hours messages are signed with both.
          </Notice>
          <CopyField label="Secret" value={rotate.data.secret} />
        </>
      )}
      <ErrorNotice error={send.error ?? change.error ?? rotate.error} />
      <DataList
        label="Deliveries"
        query={deliveries}
        pages={pages}
        empty={<EmptyState title="Nothing sent yet" />}
        keyOf={({ id }) => id}
        columns={{
          Event: ({ type, created_at: at }) => (
            <>
              {labelOf(type)}
              <div className={controls.muted}>{formatTime(at)}</div>
            </>
          ),
          Status: ({ status }) => <Badge look={LOOKS[status]}>{status}</Badge>,
          'Last attempt': ({ attempts }) => <LastAttempt attempt={attempts.at(-1)} />,
          Resend: {
            action: ({ id, status }) =>
              isActive &&
              status !== 'pending' &&
              mayChange && (
                <Button
                  size="small"
                  isDoneOnce
                  onClick={() => send.mutate({ to: `/deliveries/${id}/redeliver` })}
                >
                  Resend
                </Button>
              ),
          },
        }}
      />
    </Dialog>
  );
}

function LastAttempt({ attempt }: { attempt: WebhookDelivery['attempts'][number] | undefined }) {
  if (!attempt) return <span className={controls.muted}>none yet</span>;
  return (
    <>
      {attempt.error ?? `answered ${attempt.status_code}`}{' '}
      <span className={controls.muted}>in {formatDuration(attempt.duration_ms)}</span>
    </>
  );
}

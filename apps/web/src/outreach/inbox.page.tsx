import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type SubmitEvent } from 'react';
import { callApi, callOnce } from '../api/http';
import { May, useMay } from '../api/may';
import { refreshQueries, threadQuery, threadsQuery } from '../api/queries';
import type { MessageDraft, Thread, ThreadMessages } from '../api/resources';
import { AddressedResult } from '../shell/other-mode';
import { Page } from '../shell/page';
import {
  Badge,
  Button,
  ConfirmButton,
  joinClasses,
  controls,
  EmptyState,
  ErrorNotice,
  Field,
  Notice,
  QueryResult,
  Switch,
  TextField,
} from '../ui/controls';
import { readDraft, useDraft } from '../ui/draft';
import { Ago } from '../ui/ago';
import { formatNumber, formatTime } from '../ui/format';
import { showToast } from '../ui/toasts';
import { useSettled } from '../ui/use-settled';
import { ApprovalBadge, MessageBadge, ThreadBadge } from './outreach-badge';
import css from './outreach.module.css';

const THREADS_SHOWN = 100;
const THREADS_MAX = 1000;

/** Shows the answers of people, over all mailboxes. */
export function InboxPage() {
  const [onlyUnread, setOnlyUnread] = useState(false);
  const [onlyReplies, setOnlyReplies] = useState(false);
  const [text, setText] = useState('');
  const [limit, setLimit] = useState(THREADS_SHOWN);
  const filter = { unread: onlyUnread, replies: onlyReplies, text: useSettled(text.trim()) };
  const threads = useQuery(threadsQuery(filter, limit));
  const isNarrowed = onlyUnread || onlyReplies || text !== '';
  const { thread: openedId } = useSearch({ from: '/shell/inbox' });
  return (
    <Page
      title="Inbox"
      intro="Replies across your mailboxes. Out-of-office messages and bounces are marked as such."
      actions={
        <>
          <Switch label="Replies only" isOn={onlyReplies} onChange={setOnlyReplies} />
          <Switch label="Unread only" isOn={onlyUnread} onChange={setOnlyUnread} />
        </>
      }
    >
      <div className={css.inbox} data-open={openedId !== undefined}>
        <div className={controls.stack}>
          <TextField
            label="Search"
            type="search"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          <QueryResult query={threads}>
            {({ items, next_cursor: next }) => (
              <>
                {items.length === 0 ? (
                  <EmptyState
                    title={isNarrowed ? 'Nothing matches' : 'No replies yet'}
                    action={!isNarrowed && <Link to="/sequences">Go to sequences</Link>}
                  >
                    Replies to your sequences arrive here within a minute.
                  </EmptyState>
                ) : (
                  <ul className={css.threads}>
                    {items.map((thread) => (
                      <ThreadLine key={thread.thread_id} thread={thread} />
                    ))}
                  </ul>
                )}
                {next !== null && (
                  <div className={controls.spread}>
                    <p className={controls.muted}>The newest {formatNumber(items.length)} are shown.</p>
                    {limit < THREADS_MAX && (
                      <Button
                        isBusy={threads.isPlaceholderData}
                        onClick={() => setLimit(Math.min(THREADS_MAX, 3 * limit))}
                      >
                        Show more
                      </Button>
                    )}
                  </div>
                )}
              </>
            )}
          </QueryResult>
        </div>
        {openedId ? (
          <OpenedThread key={openedId} threadId={openedId} />
        ) : (
          threads.data && threads.data.items.length > 0 && <EmptyState title="Select a thread" />
        )}
      </div>
    </Page>
  );
}

function ThreadLine({ thread }: { thread: Thread }) {
  const { thread_id: id, contact, subject, snippet, unread, kind, last_at: at } = thread;
  return (
    <li>
      <Link to="/inbox" search={{ thread: id }}>
        <span className={css.top}>
          <span className={joinClasses(unread && css.unread)}>{contact.name ?? contact.email}</span>
          <span className={controls.muted}>
            <Ago at={at} />
          </span>
        </span>
        <span className={joinClasses(unread && css.unread)}>{subject}</span>
        <span className={controls.muted}>{snippet}</span>
        <span>
          <ThreadBadge kind={kind} /> {thread.label && <Badge>{thread.label}</Badge>}
        </span>
      </Link>
    </li>
  );
}

function OpenedThread({ threadId }: { threadId: string }) {
  const thread = useQuery(threadQuery(threadId));
  return (
    <AddressedResult query={thread} wayOut={<Link to="/inbox">Back to inbox</Link>}>
      {(found) => <Conversation found={found} />}
    </AddressedResult>
  );
}

function Conversation({ found }: { found: ThreadMessages }) {
  const { thread, messages, drafts } = found;
  const path = `/v1/inbox/threads/${thread.thread_id}`;
  const last = drafts.at(-1);
  const change = useMutation({
    mutationFn: (body: { label?: string; unread?: boolean }) => callApi(path, { method: 'PATCH', body }),
    onSuccess: () => refreshQueries('threads', 'thread'),
  });
  const { mutate } = change;
  const mayChange = useMay('change');
  const [isLeftUnread, setLeftUnread] = useState(false);
  // Opening a thread marks it as read.
  useEffect(() => {
    if (thread.unread && mayChange && !isLeftUnread) mutate({ unread: false });
  }, [thread.unread, mayChange, isLeftUnread, mutate]);
  const suppress = useMutation({
    mutationFn: () =>
      callApi('/v1/contacts/stop', { method: 'POST', body: { email: thread.contact.email, suppress: true } }),
    onSuccess: () => {
      refreshQueries('suppressions', 'enrollments', 'sequence');
      showToast(`${thread.contact.email} will not be contacted again.`);
    },
  });
  const resolve = useMutation({
    mutationFn: ({ id, outcome }: { id: string; outcome: 'sent' | 'not_sent' }) =>
      callApi(`/messages/${id}/resolve`, { method: 'POST', body: { outcome } }),
    onSuccess: () => refreshQueries('thread', 'enrollments', 'sequence'),
  });
  return (
    <section className={controls.stack} aria-label={thread.subject}>
      <Link to="/inbox" className={css.back}>
        ← All threads
      </Link>
      <div className={controls.spread}>
        <div>
          <h2>{thread.subject}</h2>
          <div className={controls.muted}>{thread.contact.email}</div>
        </div>
        {mayChange && (
          <div className={controls.row}>
            <Button
              size="small"
              onClick={() => {
                setLeftUnread(true);
                mutate({ unread: true });
              }}
            >
              Mark unread
            </Button>
            <Button
              size="small"
              onClick={() => mutate({ label: thread.label === 'interested' ? '' : 'interested' })}
            >
              {thread.label === 'interested' ? 'Not interested' : 'Interested'}
            </Button>
            <ConfirmButton
              label="Do not contact again"
              confirmLabel="Never contact again, in any sequence"
              size="small"
              isBusy={suppress.isPending}
              onConfirm={() => suppress.mutate()}
            />
          </div>
        )}
      </div>
      <ErrorNotice error={change.error ?? suppress.error ?? resolve.error} />
      {thread.kind === 'unsubscribe' && (
        <Notice look="amber">They asked not to be contacted. The sequence has stopped for them.</Notice>
      )}
      {messages.map((message) => (
        <article
          key={message.message_id}
          className={joinClasses(css.message, message.direction === 'in' && css.in)}
        >
          <header>
            <strong>{message.from}</strong>
            <span className={controls.muted}>
              {message.direction === 'out' && message.status !== 'sent' && (
                <MessageBadge status={message.status} />
              )}{' '}
              {formatTime(message.at)}
            </span>
          </header>
          <MessageText message={message} />
          {message.has_more && <div className={controls.muted}>Quoted text is hidden.</div>}
          {message.status === 'unknown' && (
            <Notice
              look="amber"
              action={
                mayChange && (
                  <span className={controls.row}>
                    {(['sent', 'not_sent'] as const).map((outcome) => (
                      <Button
                        key={outcome}
                        size="small"
                        isBusy={resolve.isPending}
                        onClick={() => resolve.mutate({ id: message.message_id, outcome })}
                      >
                        {outcome === 'sent' ? 'It arrived' : 'It did not arrive'}
                      </Button>
                    ))}
                  </span>
                )
              }
            >
              The connection broke before the server answered. It is not sent again automatically.
            </Notice>
          )}
        </article>
      ))}
      {drafts
        .filter(({ message_id: sent, approval_status: status }) => sent === null && status !== 'rejected')
        .map((draft) => (
          <DraftCard key={draft.draft_id} draft={draft} />
        ))}
      {last?.approval_status === 'rejected' && (
        <p className={controls.muted}>
          The last draft was rejected.{' '}
          <Link to="/approvals" search={{ approval: last.approval_id }}>
            Look
          </Link>
        </p>
      )}
      {mayChange && <Answer threadId={thread.thread_id} />}
    </section>
  );
}

/** Shows the text of a message, or its sanitised HTML in a frame that runs and loads nothing. */
function MessageText({ message: { text, html } }: { message: ThreadMessages['messages'][number] }) {
  const [isFormatted, setFormatted] = useState(false);
  if (html === null) return <div className={css.text}>{text}</div>;
  return (
    <>
      {isFormatted ? (
        <iframe className={css.formatted} title="Formatted message" sandbox="" srcDoc={html} />
      ) : (
        <div className={css.text}>{text}</div>
      )}
      <div>
        <Button look="quiet" size="small" onClick={() => setFormatted(!isFormatted)}>
          {isFormatted ? 'Show as text' : 'Show formatted'}
        </Button>
      </div>
    </>
  );
}

function DraftCard({ draft }: { draft: MessageDraft }) {
  const send = useMutation({
    mutationFn: () =>
      callApi(`/v1/inbox/drafts/${draft.draft_id}/send`, { method: 'POST', body: { digest: draft.digest } }),
    onSuccess: () => refreshQueries('thread', 'threads'),
  });
  return (
    <article className={css.message}>
      <header>
        <strong>Draft</strong>
        <ApprovalBadge status={draft.approval_status} />
      </header>
      <div className={css.text}>{draft.body_text}</div>
      <ErrorNotice error={send.error} />
      <div className={controls.row}>
        {draft.approval_status === 'pending' && (
          <Link to="/approvals" search={{ approval: draft.approval_id }} className={controls.button}>
            <May task="change" otherwise="View">
              Review
            </May>
          </Link>
        )}
        {draft.approval_status === 'approved' && (
          <May task="change">
            <Button look="primary" isBusy={send.isPending} onClick={() => send.mutate()}>
              Send
            </Button>
          </May>
        )}
      </div>
    </article>
  );
}

function Answer({ threadId }: { threadId: string }) {
  const name = `answer.${threadId}`;
  const [text, setText] = useDraft(name);
  const write = useMutation({
    mutationFn: (body: { body_text: string }) =>
      callOnce<MessageDraft>(`/v1/inbox/threads/${threadId}/drafts`, body),
    onSuccess: (_, { body_text: written }) => {
      // More may have been typed meanwhile.
      if (readDraft(name) === written) setText('');
      refreshQueries('thread', 'approvals');
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    write.mutate({ body_text: text });
  };
  return (
    <form className={controls.stack} onSubmit={submit}>
      <Field label="Reply" hint="It is saved as a draft, which someone approves before it is sent.">
        {(props) => (
          <textarea
            {...props}
            rows={5}
            required
            maxLength={20_000}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
      <ErrorNotice error={write.error} />
      <div className={controls.row}>
        <Button type="submit" look="primary" isBusy={write.isPending}>
          Save as draft
        </Button>
      </div>
    </form>
  );
}

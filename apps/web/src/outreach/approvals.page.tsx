import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { callApi } from '../api/http';
import { useMay } from '../api/may';
import { approvalQuery, approvalsQuery, refreshQueries } from '../api/queries';
import type { Approval, ApprovalDetails } from '../api/resources';
import { useAction } from '../api/use-action';
import { AddressedResult } from '../shell/other-mode';
import { Page } from '../shell/page';
import { Button, controls, EmptyState, ErrorNotice } from '../ui/controls';
import { DataList } from '../ui/data-table';
import { Dialog } from '../ui/dialog';
import { Ago } from '../ui/ago';
import { formatCount, formatNumber } from '../ui/format';
import { usePages } from '../ui/pager';
import { showToast } from '../ui/toasts';
import { ApprovalBadge } from './outreach-badge';
import css from './outreach.module.css';
import { PreviewMessages } from './preview-part';

/** Shows pending and decided approvals. */
export function ApprovalsPage() {
  const pages = usePages('approvals');
  const approvals = useQuery(approvalsQuery(pages.position));
  const { approval: openedId } = useSearch({ from: '/shell/approvals' });
  const navigate = useNavigate();
  // A closed dialog must not reopen with the browser's Back button.
  const open = (id: string | undefined) =>
    void navigate({ to: '/approvals', search: { approval: id }, replace: id === undefined });
  return (
    <Page
      title="Approvals"
      intro="Nothing is sent until a person approves the exact text and the exact recipients. Any change needs a new approval."
    >
      <DataList
        label="Approvals"
        query={approvals}
        pages={pages}
        empty={
          <EmptyState title="Nothing to approve">
            Sequences and replies that wait for approval appear here.
          </EmptyState>
        }
        keyOf={({ approval_id: id }) => id}
        columns={{
          What: {
            line: ({ approval_id: id, summary }) => (
              <Button look="quiet" size="small" onClick={() => open(id)}>
                {summary}
              </Button>
            ),
          },
          Status: ({ status }) => <ApprovalBadge status={status} />,
          People: { number: ({ audience }) => formatNumber(audience) },
          Messages: { number: ({ messages }) => formatNumber(messages) },
          Requested: (approval) => <Ago at={approval.requested_at} />,
        }}
      />
      {openedId && <ApprovalDialog approvalId={openedId} onClose={() => open(undefined)} />}
    </Page>
  );
}

function ApprovalDialog({ approvalId, onClose }: { approvalId: string; onClose: () => void }) {
  const details = useQuery(approvalQuery(approvalId));
  return (
    <AddressedResult query={details} wayOut={<Link to="/approvals">Back to approvals</Link>}>
      {(found) => <OpenedApproval details={found} onClose={onClose} />}
    </AddressedResult>
  );
}

function OpenedApproval({ details, onClose }: { details: ApprovalDetails; onClose: () => void }) {
  const { approval, preview, draft, thread_id: threadId, recipients } = details;
  const mayChange = useMay('change');
  const navigate = useNavigate();
  const decide = useAction({
    mutationFn: (decision: 'approve' | 'reject') =>
      callApi<Approval>(`/approvals/${approval.approval_id}`, {
        method: 'POST',
        // Decides on the content on the screen only: if it has changed since, the decision is refused.
        body: { decision, digest: approval.digest },
      }),
    onSuccess: (_, decision) => {
      refreshQueries('approvals', 'approval', 'sequence', 'sequences', 'thread');
      showToast(decision === 'approve' ? 'Approved.' : 'Rejected.');
    },
    onDone: (_, decision: 'approve' | 'reject') => {
      if (decision === 'approve' && approval.sequence_id !== null)
        void navigate({ to: '/sequences/$sequenceId', params: { sequenceId: approval.sequence_id } });
      // A reply is sent from the page of its thread.
      else if (decision === 'approve' && threadId !== null)
        void navigate({ to: '/inbox', search: { thread: threadId } });
      else onClose();
    },
    // Another person may have decided meanwhile.
    onError: () => refreshQueries('approvals', 'approval'),
  });
  const decision = decide.variables === 'approve' ? 'approved' : 'rejected';
  const mayDecide = approval.status === 'pending' && mayChange;
  return (
    <Dialog
      title={approval.summary}
      place="wide"
      isAddressed
      onClose={onClose}
      actions={
        mayDecide && (
          <>
            <Button look="danger" isBusy={decide.isPending} onClick={() => decide.mutate('reject')}>
              Reject
            </Button>
            <Button look="primary" isBusy={decide.isPending} onClick={() => decide.mutate('approve')}>
              Approve {formatCount(approval.messages, 'message')}
            </Button>
          </>
        )
      }
    >
      <div className={controls.stack}>
        <p className={controls.row}>
          <ApprovalBadge status={approval.status} />
          <span className={controls.muted}>
            {formatCount(approval.messages, 'message')} at most to{' '}
            {formatCount(approval.audience, 'person', 'people')}, requested <Ago at={approval.requested_at} />
          </span>
        </p>
        {/* A request whose answer was lost may have arrived. */}
        <ErrorNotice error={approval.status === decision ? null : decide.error} />
        {preview && <PreviewMessages preview={preview} />}
        {draft && (
          <article className={css.message}>
            <header>
              <strong>{draft.subject}</strong>
              <span className={controls.muted}>to {draft.to}</span>
            </header>
            <div className={css.text}>{draft.body_text}</div>
          </article>
        )}
        {recipients.length > 1 && (
          <details>
            <summary>
              {recipients.length < approval.audience ? 'The first ' : 'All '}
              {formatCount(recipients.length, 'recipient')}
            </summary>
            <ul className={css.recipients}>
              {recipients.map((address) => (
                <li key={address}>{address}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </Dialog>
  );
}

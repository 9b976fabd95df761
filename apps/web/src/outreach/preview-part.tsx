import { useQuery } from '@tanstack/react-query';
import { callApi } from '../api/http';
import { useMay } from '../api/may';
import { enrollmentsQuery, previewQuery, refreshQueries, tableQuery } from '../api/queries';
import type { Approval, Sequence, SequencePreview } from '../api/resources';
import { useAction } from '../api/use-action';
import { Button, controls, EmptyState, ErrorNotice, Notice, QueryResult } from '../ui/controls';
import { formatCount } from '../ui/format';
import { FIRST_NAME, templateNames } from './template-names';
import { warningLines } from './warning-lines';
import css from './outreach.module.css';

/** Warnings about messages that cannot be rendered, which block an approval. */
const NO_MESSAGE: ReadonlySet<SequencePreview['warnings'][number]['code']> = new Set([
  'missing_variable',
  'template_error',
]);

const NOBODY: ReadonlyMap<string, string> = new Map();

interface PreviewPartProps {
  readonly sequence: Sequence;
  /** True when its messages have unsaved changes. */
  readonly isUnsaved: boolean;
  /** Called with the id of the requested approval. */
  readonly onAsked: (approvalId: string) => void;
}

/** Shows the messages to send with their warnings, and requests their approval. */
export function PreviewPart({ sequence, isUnsaved, onAsked }: PreviewPartProps) {
  const mayAsk = useMay('change');
  const preview = useQuery({
    ...previewQuery(sequence.sequence_id, sequence.version),
    enabled: sequence.counts.enrolled > 0,
  });
  const people = useQuery({
    ...enrollmentsQuery(sequence.sequence_id, false),
    enabled: sequence.counts.enrolled > 0,
  });
  const addresses = new Map(people.data?.items.map(({ enrollment_id: id, email }) => [id, email]));
  const ask = useAction({
    mutationFn: (digest: string) =>
      callApi<Approval>(`/v1/sequences/${sequence.sequence_id}/approvals`, {
        method: 'POST',
        body: { digest },
      }),
    onSuccess: () => refreshQueries('sequence', 'approvals'),
    onDone: ({ approval_id: id }) => onAsked(id),
  });
  if (sequence.counts.enrolled === 0)
    return (
      <EmptyState title="No people yet">
        Add people first: the preview shows what each would receive.
      </EmptyState>
    );
  return (
    <QueryResult query={preview}>
      {(found) => {
        const isIncomplete = found.warnings.some(({ code }) => NO_MESSAGE.has(code));
        return (
          <section className={controls.stack}>
            <div className={controls.spread}>
              <p className={controls.muted}>
                {isIncomplete
                  ? "Some messages cannot be written. Give a value that may be missing a default: {{ company | default: 'your company' }}."
                  : `The first ${formatCount(found.messages.length, 'message')} of ${formatCount(found.total_messages, 'message')} at most.`}
              </p>
              {mayAsk &&
                (['draft', 'paused'].includes(sequence.status)
                  ? sequence.approval?.status !== 'pending'
                  : sequence.status === 'approved' && sequence.approval?.status === 'expired') && (
                  <Button
                    look="primary"
                    isBusy={ask.isPending}
                    disabled={isIncomplete || isUnsaved}
                    onClick={() => ask.mutate(found.digest)}
                  >
                    Request approval
                  </Button>
                )}
            </div>
            <ErrorNotice error={ask.error} />
            {isUnsaved && (
              <Notice look="amber">
                Your changes under “Messages” are not saved and not in this preview.
              </Notice>
            )}
            {isIncomplete && <UsableNames sequenceId={sequence.sequence_id} />}
            <PreviewMessages preview={found} addresses={addresses} />
          </section>
        );
      }}
    </QueryResult>
  );
}

/** Lists the columns that messages may use: those of the table of the first person. */
function UsableNames({ sequenceId }: { sequenceId: string }) {
  const people = useQuery(enrollmentsQuery(sequenceId, false));
  const tableId = people.data?.items[0]?.table_id ?? '';
  const { data: table } = useQuery({ ...tableQuery(tableId), enabled: tableId !== '' });
  if (!table) return null;
  return (
    <p>
      “{table.name}” has {templateNames(table)}. The first name from a full name: {FIRST_NAME}.
    </p>
  );
}

interface PreviewMessagesProps {
  readonly preview: SequencePreview;
  /** Addresses by enrollment, for people without a message in the preview. */
  readonly addresses?: ReadonlyMap<string, string>;
}

/** Warnings, and messages as they would be sent. */
export function PreviewMessages({ preview, addresses = NOBODY }: PreviewMessagesProps) {
  return (
    <>
      {preview.warnings.length > 0 && (
        <Notice look="amber">
          <ul className={css.warnings}>
            {warningLines(preview, addresses).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Notice>
      )}
      {preview.messages.map(({ enrollment_id: id, step, from, to, subject, body_text: text }) => (
        <article key={`${id} ${step}`} className={css.message}>
          <header>
            <strong>{subject}</strong>
            <span className={controls.muted}>
              {from} → {to} · message {step + 1}
            </span>
          </header>
          <div className={css.text}>{text}</div>
        </article>
      ))}
    </>
  );
}

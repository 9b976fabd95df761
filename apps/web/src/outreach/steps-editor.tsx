import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, callApi } from '../api/http';
import { mailboxesQuery, refreshQueries, sequenceQuery } from '../api/queries';
import { queryClient } from '../api/query-client';
import type { Sequence } from '../api/resources';
import { Button, controls, ErrorNotice, Field, Notice, TextField } from '../ui/controls';
import { useDraft } from '../ui/draft';
import { showToast } from '../ui/toasts';
import { faultWords } from './fault-words';
import { MailboxChoice } from './mailbox-choice';
import { SendingTimesFields } from './sending-times';
import { FIRST_NAME } from './template-names';
import { timesProblem } from './times';

type Step = Sequence['definition']['steps'][number];
const STEPS_MAX = 10;
const CHANGEABLE: ReadonlySet<Sequence['status']> = new Set(['draft', 'approved', 'paused']);

interface StepsEditorProps {
  readonly sequence: Sequence;
  /** Called with whether there are unsaved changes. */
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

/** Unsaved changes of a sequence. */
type Changes = Partial<Sequence['definition'] & Pick<Sequence, 'name'>>;

interface Draft {
  /** Version of the sequence that the changes began with. */
  readonly version: number;
  readonly changes: Changes;
}

/** Returns the unsaved changes of a sequence, which survive a reload and a version that was saved elsewhere. */
function useChanges({ sequence_id: id, version, name, definition }: Sequence) {
  const [text, setText] = useDraft(`sequence.${id}`);
  const draft: Draft = text === '' ? { version, changes: {} } : (JSON.parse(text) as Draft);
  const saved: Changes = { ...definition, name };
  const unsaved = Object.entries(draft.changes).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(saved[key as keyof Changes]),
  );
  const changes = Object.fromEntries(unsaved) as Changes;
  const base = unsaved.length === 0 ? version : draft.version;
  return {
    changes,
    isOutdated: base !== version,
    change: (more: Changes) =>
      setText(JSON.stringify({ version: base, changes: { ...changes, ...more } } satisfies Draft)),
    discard: () => setText(''),
  };
}

/** Edits the name, messages, mailboxes, daily limit and sending times of a sequence, and saves them together. */
export function StepsEditor({ sequence, onUnsaved }: StepsEditorProps) {
  const { changes, isOutdated, change: setChanges, discard } = useChanges(sequence);
  const {
    name,
    steps,
    mailbox_ids: mailboxIds,
    daily_limit: dailyLimit,
    ...times
  } = { ...sequence.definition, name: sequence.name, ...changes };
  const isChangeable = CHANGEABLE.has(sequence.status);
  const mailboxes = useQuery(mailboxesQuery()).data?.items;
  const isChanged = Object.keys(changes).length > 0;
  useEffect(() => {
    onUnsaved(isChanged);
    return () => onUnsaved(false);
  }, [isChanged, onUnsaved]);
  const empty = steps.findIndex(({ body }) => body.trim() === '');
  const isLimited = dailyLimit === null || dailyLimit >= 1;
  const isComplete =
    name.trim() !== '' && empty < 0 && mailboxIds.length > 0 && timesProblem(times) === null && isLimited;
  const save = useMutation({
    mutationFn: () =>
      callApi<Sequence>(`/v1/sequences/${sequence.sequence_id}`, {
        method: 'PATCH',
        body: {
          version: sequence.version,
          changes: {
            ...changes,
            ...(changes.steps && {
              steps: steps.map(({ subject, ...step }) => (subject === null ? step : { ...step, subject })),
            }),
          },
        },
      }),
    onSuccess: (saved) => {
      discard();
      queryClient.setQueryData(sequenceQuery(saved.sequence_id).queryKey, saved);
      refreshQueries('sequence', 'sequences', 'preview', 'approvals');
      showToast('Saved as a new version.');
    },
    onError: (error) => {
      // It may have been saved, or somebody else has saved another version.
      if (error instanceof ApiError && [0, 409].includes(error.status)) refreshQueries('sequence');
    },
  });
  // What is typed during a save would be lost with the changes that are saved.
  const isWritable = isChangeable && !save.isPending;
  const setSteps = (next: Step[]) => setChanges({ steps: next });
  const change = (index: number, part: Partial<Step>) =>
    setSteps(steps.map((step, at) => (at === index ? { ...step, ...part } : step)));
  return (
    <section className={controls.stack}>
      {isOutdated && (
        <Notice
          look="amber"
          action={
            <Button size="small" onClick={discard}>
              Discard my changes
            </Button>
          }
        >
          The sequence was saved elsewhere since you began. It is shown with your unsaved changes: saving
          replaces what they change.
        </Notice>
      )}
      {sequence.status === 'active' && <Notice>This sequence is sending. Pause it to edit it.</Notice>}
      <TextField
        label="Name"
        value={name}
        maxLength={200}
        readOnly={!isWritable}
        onChange={({ target }) => setChanges({ name: target.value })}
      />
      {steps.map((step, index) => (
        <StepFields
          key={index}
          index={index}
          step={step}
          isChangeable={isWritable}
          onChange={(part) => change(index, part)}
          onRemove={() => setSteps(steps.toSpliced(index, 1))}
        />
      ))}
      {mailboxes && (
        <fieldset className={controls.choices} disabled={!isWritable}>
          <legend>Sent from</legend>
          <MailboxChoice
            mailboxes={mailboxes}
            chosen={mailboxIds}
            onChange={(ids) => setChanges({ mailbox_ids: ids })}
          />
        </fieldset>
      )}
      <SendingTimesFields times={times} isReadOnly={!isWritable} onChange={setChanges} />
      <TextField
        label="Daily message limit"
        type="number"
        min={1}
        max={10_000}
        value={dailyLimit ?? ''}
        readOnly={!isWritable}
        onChange={({ target }) =>
          setChanges({ daily_limit: target.value === '' ? null : Number(target.value) })
        }
        hint="For this sequence, across all of its mailboxes. The limits of the mailboxes apply as well; leave it empty for those alone."
      />
      {/* What was saved elsewhere is explained above. */}
      <ErrorNotice error={isOutdated ? null : save.error} words={faultWords} />
      {isChangeable && (
        <div className={controls.row}>
          <Button
            look="primary"
            disabled={!isChanged || !isComplete}
            isBusy={save.isPending}
            onClick={() => save.mutate()}
          >
            Save
          </Button>
          {isWritable && steps.length < STEPS_MAX && (
            <Button
              onClick={() =>
                setSteps([...steps, { delay_days: 3, subject: null, body: '', channel: 'email' }])
              }
            >
              Add message
            </Button>
          )}
          {isChanged && empty >= 0 && (
            <span className={controls.muted}>Message {empty + 1} has no text yet.</span>
          )}
          {isChanged && sequence.approval?.status === 'approved' && (
            <span className={controls.muted}>Saving cancels the approval.</span>
          )}
        </div>
      )}
    </section>
  );
}

interface StepFieldsProps {
  readonly index: number;
  readonly step: Step;
  readonly isChangeable: boolean;
  readonly onChange: (part: Partial<Step>) => void;
  readonly onRemove: () => void;
}

/** Fields of one message: the first has a subject, the others follow in its thread after some days. */
function StepFields({ index, step, isChangeable, onChange, onRemove }: StepFieldsProps) {
  return (
    <div className={controls.card}>
      <div className={controls.stack}>
        <div className={controls.spread}>
          <h2>Message {index + 1}</h2>
          {index > 0 && isChangeable && (
            <Button size="small" look="quiet" onClick={onRemove}>
              Remove
            </Button>
          )}
        </div>
        {index === 0 ? (
          <TextField
            label="Subject"
            value={step.subject ?? ''}
            maxLength={500}
            readOnly={!isChangeable}
            onChange={({ target }) => onChange({ subject: target.value })}
          />
        ) : (
          <TextField
            label="Days after the previous message"
            type="number"
            min={0}
            max={365}
            value={step.delay_days}
            readOnly={!isChangeable}
            onChange={({ target }) => onChange({ delay_days: Number(target.value) })}
            hint="It is sent as a reply in the same thread, unless the person has replied."
          />
        )}
        <Field
          label="Text"
          hint={`Columns of the table, in Liquid: ${FIRST_NAME}, {{ company_name | default: 'your company' }}, {% if city %}…{% endif %}`}
        >
          {(props) => (
            <textarea
              {...props}
              rows={8}
              maxLength={20_000}
              value={step.body}
              readOnly={!isChangeable}
              onChange={({ target }) => onChange({ body: target.value })}
            />
          )}
        </Field>
      </div>
    </div>
  );
}

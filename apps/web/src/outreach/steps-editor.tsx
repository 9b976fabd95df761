import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { callApi } from '../api/http';
import { mailboxesQuery, refreshQueries } from '../api/queries';
import type { Sequence } from '../api/resources';
import { Button, controls, ErrorNotice, Field, Notice, TextField } from '../ui/controls';
import { showToast } from '../ui/toasts';
import { faultWords } from './fault-words';
import { MailboxChoice } from './mailbox-choice';
import { SendingTimesFields } from './sending-times';
import { FIRST_NAME } from './template-names';
import { timesProblem, type SendingTimes } from './times';

type Step = Sequence['definition']['steps'][number];
const STEPS_MAX = 10;
const CHANGEABLE: ReadonlySet<Sequence['status']> = new Set(['draft', 'approved', 'paused']);

interface StepsEditorProps {
  readonly sequence: Sequence;
  /** Called with whether something is changed and not saved. */
  readonly onUnsaved: (isUnsaved: boolean) => void;
}

/** The messages of a sequence, its mailboxes and the times at which they leave, to be written and saved together. */
export function StepsEditor({ sequence, onUnsaved }: StepsEditorProps) {
  const [steps, setSteps] = useState<readonly Step[]>(sequence.definition.steps);
  const [times, setTimes] = useState<SendingTimes>(sequence.definition);
  const isChangeable = CHANGEABLE.has(sequence.status);
  const areStepsChanged = steps !== sequence.definition.steps;
  const areTimesChanged = times !== sequence.definition;
  const [mailboxIds, setMailboxIds] = useState<readonly string[]>(sequence.definition.mailbox_ids);
  const mailboxes = useQuery(mailboxesQuery()).data?.items;
  const areMailboxesChanged = mailboxIds !== sequence.definition.mailbox_ids;
  const isChanged = areStepsChanged || areTimesChanged || areMailboxesChanged;
  useEffect(() => {
    onUnsaved(isChanged);
    return () => onUnsaved(false);
  }, [isChanged, onUnsaved]);
  const empty = steps.findIndex(({ body }) => body.trim() === '');
  const save = useMutation({
    mutationFn: () =>
      callApi<Sequence>(`/v1/sequences/${sequence.sequence_id}`, {
        method: 'PATCH',
        body: {
          version: sequence.version,
          changes: {
            ...(areStepsChanged && {
              steps: steps.map(({ subject, ...step }) => (subject === null ? step : { ...step, subject })),
            }),
            ...(areTimesChanged && { time_zone: times.time_zone, window: times.window }),
            ...(areMailboxesChanged && { mailbox_ids: mailboxIds }),
          },
        },
      }),
    onSuccess: () => {
      refreshQueries('sequence', 'sequences', 'preview', 'approvals');
      showToast('Saved as a new version.');
    },
  });
  const change = (index: number, changes: Partial<Step>) =>
    setSteps(steps.map((step, at) => (at === index ? { ...step, ...changes } : step)));
  return (
    <section className={controls.stack}>
      {sequence.status === 'active' && (
        <Notice>It is sending. Pause it to change its messages, mailboxes and times.</Notice>
      )}
      {steps.map((step, index) => (
        <div key={index} className={controls.card}>
          <div className={controls.stack}>
            <div className={controls.spread}>
              <h2>Message {index + 1}</h2>
              {index > 0 && isChangeable && (
                <Button size="small" look="quiet" onClick={() => setSteps(steps.toSpliced(index, 1))}>
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
                onChange={({ target }) => change(index, { subject: target.value })}
              />
            ) : (
              <TextField
                label="Days after the message before it"
                type="number"
                min={0}
                max={365}
                value={step.delay_days}
                readOnly={!isChangeable}
                onChange={({ target }) => change(index, { delay_days: Number(target.value) })}
                hint="It is sent as an answer in the same thread, unless the person has answered."
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
                  onChange={({ target }) => change(index, { body: target.value })}
                />
              )}
            </Field>
          </div>
        </div>
      ))}
      {mailboxes && (
        <fieldset className={controls.choices} disabled={!isChangeable}>
          <legend>Sent from</legend>
          <MailboxChoice mailboxes={mailboxes} chosen={mailboxIds} onChange={setMailboxIds} />
        </fieldset>
      )}
      <SendingTimesFields times={times} isReadOnly={!isChangeable} onChange={setTimes} />
      <ErrorNotice error={save.error} words={faultWords} />
      {isChangeable && (
        <div className={controls.row}>
          <Button
            look="primary"
            disabled={!isChanged || empty >= 0 || mailboxIds.length === 0 || timesProblem(times) !== null}
            isBusy={save.isPending}
            onClick={() => save.mutate()}
          >
            Save
          </Button>
          {steps.length < STEPS_MAX && (
            <Button
              onClick={() =>
                setSteps([...steps, { delay_days: 3, subject: null, body: '', channel: 'email' }])
              }
            >
              Add a message
            </Button>
          )}
          {isChanged && empty >= 0 && (
            <span className={controls.muted}>Message {empty + 1} has no text yet.</span>
          )}
          {isChanged && sequence.approval?.status === 'approved' && (
            <span className={controls.muted}>Saving voids the approval.</span>
          )}
        </div>
      )}
    </section>
  );
}

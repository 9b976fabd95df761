import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { callOnce } from '../api/http';
import { refreshQueries } from '../api/queries';
import type { Monitor, Plan } from '../api/resources';
import { useAction } from '../api/use-action';
import { Button, CheckField, controls, ErrorNotice, Options, SelectField, TextField } from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatCount, formatCredits } from '../ui/format';
import { cronOf, FREQUENCIES, type Frequency } from './schedule';
import { watchExample, watchKeys } from './watched';

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const NAME_MAX = 200;

/** Puts a plan on a schedule. */
export function MonitorDialog({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const navigate = useNavigate();
  const [frequency, setFrequency] = useState<Frequency>('every Monday');
  const { rows, credits_max: most } = plan.estimate;
  const create = useAction({
    mutationFn: (body: object) => callOnce<Monitor>('/v1/monitors', body),
    onSuccess: () => refreshQueries('monitors'),
    onDone: () => void navigate({ to: '/monitors' }),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const budget = String(form.get('budget'));
    const watch = watchKeys(String(form.get('watch')), plan);
    create.mutate({
      name: String(form.get('name')).trim(),
      plan_id: plan.id,
      schedule: { cron: cronOf(frequency, Number(form.get('hour'))), time_zone: ZONE },
      first_run: form.has('deliver') ? 'deliver' : 'silent',
      ...(budget === '' ? {} : { max_credits_per_month: Number(budget) }),
      ...(watch.length === 0 ? {} : { watch }),
    });
  };
  return (
    <Dialog title="Repeat on a schedule" onClose={onClose}>
      <form className={controls.stack} onSubmit={submit}>
        <p className={controls.muted}>
          Each run looks for up to {formatCount(rows, 'row')} and pays only for rows that no earlier run has
          found{most > 0 && `, at most ${formatCredits(most)}`}.
        </p>
        <TextField
          label="Name"
          name="name"
          required
          autoFocus
          maxLength={NAME_MAX}
          defaultValue={[...plan.prompt].slice(0, NAME_MAX).join('')}
        />
        <SelectField
          label="How often"
          value={frequency}
          onChange={({ target }) => setFrequency(target.value as Frequency)}
        >
          {Object.keys(FREQUENCIES).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
        <SelectField label="At" name="hour" defaultValue={9} hint={`In ${ZONE}.`}>
          <Options of={HOURS.map((hour) => [hour, `${hour}:00`])} />
        </SelectField>
        <TextField
          label="Monthly credit limit"
          name="budget"
          type="number"
          min={0}
          step="any"
          hint="Leave it empty for no separate limit."
        />
        <TextField
          label="Report a known row again when these columns change"
          name="watch"
          placeholder={watchExample(plan)}
          hint="Columns that the search fills, separated by commas. Reporting a change is free."
        />
        <CheckField
          label="Report and pay for existing matches in the first run"
          name="deliver"
          defaultChecked
        />
        <ErrorNotice error={create.error} />
        <Button type="submit" look="primary" isBusy={create.isPending}>
          Start monitor
        </Button>
      </form>
    </Dialog>
  );
}

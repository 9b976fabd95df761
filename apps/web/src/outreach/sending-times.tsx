import { CheckField, controls, SelectField } from '../ui/controls';
import { formatField } from '../ui/format';
import { hourChoices, timesProblem, WEEKDAYS, withDay, zoneChoices, type SendingTimes } from './times';

interface SendingTimesFieldsProps {
  readonly times: SendingTimes;
  readonly isReadOnly: boolean;
  readonly onChange: (times: SendingTimes) => void;
}

/** Days, hours and time zone in which messages may leave. */
export function SendingTimesFields({ times, isReadOnly, onChange }: SendingTimesFieldsProps) {
  const { window, time_zone: zone } = times;
  const problem = timesProblem(times);
  return (
    <fieldset className={controls.choices} disabled={isReadOnly}>
      <legend>Sent on</legend>
      <div className={controls.row}>
        {WEEKDAYS.map((day) => (
          <CheckField
            key={day}
            label={formatField(day)}
            checked={window.days.includes(day)}
            onChange={({ target }) => onChange(withDay(times, day, target.checked))}
          />
        ))}
      </div>
      <div className={controls.row}>
        {(['from', 'to'] as const).map((end) => (
          <SelectField
            key={end}
            label={formatField(end)}
            value={window[end]}
            onChange={({ target }) => onChange({ ...times, window: { ...window, [end]: target.value } })}
          >
            {hourChoices(window[end], end).map((hour) => (
              <option key={hour}>{hour}</option>
            ))}
          </SelectField>
        ))}
        <SelectField
          label="Time zone"
          value={zone}
          onChange={({ target }) => onChange({ ...times, time_zone: target.value })}
        >
          {zoneChoices(zone).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </SelectField>
      </div>
      {problem && (
        <p className={controls.problem} role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

import { Button, controls, TextField } from './controls';
import { copyText } from './copy-text';

/** Shows a value with a button that copies it. */
export function CopyField({ label, value }: { label: string; value: string }) {
  return (
    <div className={controls.stack}>
      <TextField label={label} value={value} readOnly onFocus={({ target }) => target.select()} />
      <div className={controls.row}>
        <Button onClick={() => void copyText(value)}>Copy</Button>
      </div>
    </div>
  );
}

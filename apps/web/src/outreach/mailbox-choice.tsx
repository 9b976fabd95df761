import type { Mailbox } from '../api/resources';
import { CheckField, controls } from '../ui/controls';

interface MailboxChoiceProps {
  readonly mailboxes: readonly Mailbox[];
  readonly chosen: readonly string[];
  readonly onChange: (ids: string[]) => void;
}

/** Mailboxes that a sequence is sent from, at least one. */
export function MailboxChoice({ mailboxes, chosen, onChange }: MailboxChoiceProps) {
  const ids = mailboxes.map(({ id }) => id).filter((id) => chosen.includes(id));
  return (
    <>
      {mailboxes.map(({ id, address, status }) => (
        <CheckField
          key={id}
          label={status === 'connected' ? address : `${address} (${status})`}
          checked={chosen.includes(id)}
          onChange={({ target }) =>
            onChange(target.checked ? [...ids, id] : ids.filter((each) => each !== id))
          }
        />
      ))}
      {ids.length === 0 && (
        <p className={controls.problem} role="alert">
          Choose at least one mailbox.
        </p>
      )}
    </>
  );
}

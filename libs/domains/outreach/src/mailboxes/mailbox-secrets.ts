import type { SealedSecrets, SecretBinding } from '@quarry/app';
import type { MailServer } from '@quarry/mail';

/** Settings of a server without its password. */
export type KnownServer = Omit<MailServer, 'password'>;

/** Sealed secrets of a mailbox. */
export interface MailboxSecrets {
  smtp_password: string;
  imap_password: string;
  /** In PEM; null when messages are not signed. */
  dkim_key: string | null;
}

interface Owner {
  orgId: string;
  mode: string;
  id: string;
}

/** @returns the binding of a mailbox's sealed secrets: moved to another row, they do not open */
export function mailboxBinding({ orgId, mode, id }: Owner): SecretBinding {
  return ['mailbox secrets', orgId, mode, id];
}

/** @throws Error when ENCRYPTION_KEYS has no key that sealed them: nothing is sent, and nothing is lost */
export function openMailboxSecrets(secrets: SealedSecrets, owner: Owner, sealed: string): MailboxSecrets {
  const opened = secrets.openSecret(mailboxBinding(owner), sealed);
  if (opened === null) throw new Error('ENCRYPTION_KEYS does not open the secrets of a mailbox.');
  return JSON.parse(opened) as MailboxSecrets;
}

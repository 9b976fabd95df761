import type { SealedSecrets, SecretBinding } from '@quarry/app';
import type { MailServer } from '@quarry/mail';

/** Settings of a server without its password. */
export type KnownServer = Omit<MailServer, 'password'>;

/** Sealed secrets of a mailbox. */
export interface MailboxSecrets {
  smtp_password: string;
  imap_password: string;
  /** In PEM; null where messages are not signed. */
  dkim_key: string | null;
}

interface Owner {
  orgId: string;
  mode: string;
  id: string;
}

/** @returns what the secrets of a mailbox are sealed for: those that are put into another row do not open */
export function mailboxBinding({ orgId, mode, id }: Owner): SecretBinding {
  return ['mailbox secrets', orgId, mode, id];
}

/** @throws Error where ENCRYPTION_KEYS is not the one that sealed them: nothing is sent, and nothing is lost */
export function openMailboxSecrets(secrets: SealedSecrets, owner: Owner, sealed: string): MailboxSecrets {
  const opened = secrets.openSecret(mailboxBinding(owner), sealed);
  if (opened === null) throw new Error('ENCRYPTION_KEYS does not open the secrets of a mailbox.');
  return JSON.parse(opened) as MailboxSecrets;
}

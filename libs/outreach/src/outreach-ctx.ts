import type { MailboxTurn } from '@quarry/dto';
import { systemCtx, type Ctx } from '@quarry/platform';

/** @returns the context of work on a mailbox: its organisation and mode, and no request */
export function mailboxCtx({ orgId, mode }: Pick<MailboxTurn, 'orgId' | 'mode'>, work: string): Ctx {
  return { ...systemCtx(work, orgId), mode };
}

// Outreach: what keeps a message from leaving twice, or to somebody who may not be written to, and a mail from counting twice.
import { mutant } from './mutant.mjs';

const SRC = 'libs/domains/outreach/src';
const MESSAGES = `${SRC}/sending/outgoing-message.store.ts`;
const PLANNER = `${SRC}/sending/message-planner.ts`;
const INBOUND = `${SRC}/receiving/inbound-mail.store.ts`;
const SENDING = `${SRC}/sending/sending.db.spec.ts`;
const RECEIVING = `${SRC}/receiving/receiving.db.spec.ts`;

export const DELIVERY_MUTANTS = [
  mutant('outreach: a mark waits for a pause', SENDING, 'paused: a mark that comes in the middle', [
    MESSAGES,
    'AND s.id = $2 FOR SHARE',
    'AND s.id = $2',
  ]),
  mutant(
    'outreach: a mark asks for suppressions',
    SENDING,
    'suppressed: a mark that comes in the middle',
    [MESSAGES, "${approvalHolds('m')} AND NOT ${isSuppressed('m', 'to_address')}", "${approvalHolds('m')}"],
    [PLANNER, "AND e.status = 'active' AND e.approval_id", 'AND e.approval_id'],
  ),
  mutant('outreach: a mark asks for the approval', SENDING, 'as it is of another version', [
    MESSAGES,
    "=> `${approvalHolds('m')} AND NOT",
    '=> `NOT',
  ]),
  mutant('outreach: places of refusals', SENDING, 'of the mailbox, by its own clock', [
    MESSAGES,
    "if (ended.state !== 'sent' && ended.state !== 'unknown' && row.was_begun)",
    'if (row.was_begun && ended.nextInMs < 0)',
  ]),
  mutant('outreach: the window', SENDING, 'on any day of the week that it does not name', [
    PLANNER,
    'AND outreach.is_window_open(${at}, coalesce(e.time_zone, s.time_zone), s.window_days, s.window_from, s.window_to)',
    '',
  ]),
  mutant('outreach: what had its mark is unknown', SENDING, 'is settled by whoever has claimed it', [
    MESSAGES,
    "CASE WHEN m.state = 'sending' THEN 'unknown' WHEN",
    "CASE WHEN m.state = 'sending' THEN 'deferred' WHEN",
  ]),
  mutant(
    'outreach: a pause cancels no message of a sequence',
    SENDING,
    'and is handed back once the sequence is active',
    [MESSAGES, "(m.draft_id IS NOT NULL AND NOT ${approvalHolds('m')})", "NOT ${approvalHolds('m')}"],
  ),
  mutant('outreach: an answer proves what is on its way', RECEIVING, 'has been sent when a person answers', [
    INBOUND,
    "m.state IN ('sending', 'unknown')",
    "m.state = 'unknown'",
  ]),
  mutant('outreach: each mail once', RECEIVING, 'when its folder is numbered anew', [
    INBOUND,
    'kind, mail.messageId] as const',
    "kind, newId('msg')] as const",
  ]),
  mutant(
    'outreach: reports that name none of ours',
    RECEIVING,
    'that names no message of ours',
    [INBOUND, "AND m.direction = 'out' AND m.rfc_message_id = ANY ($3::text[])", "AND m.direction = 'out'"],
    [INBOUND, '({ messageId }) => messageId === returned.rfc_message_id', '() => true'],
  ),
  mutant('outreach: the lease of an inbox', RECEIVING, 'from a worker whose lease was lost', [
    INBOUND,
    'AND b.read_token = $3 RETURNING b.id',
    'AND $3::text IS NOT NULL RETURNING b.id',
  ]),
];

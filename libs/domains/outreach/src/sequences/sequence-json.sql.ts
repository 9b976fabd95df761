import { ENROLLMENT_STATUSES } from '@quarry/dto';
import { isoTime } from '@quarry/postgres';
import { limitOfDay, startedOnDay } from '../mailboxes/mailbox-day.sql.js';

/** Resource Approval, from `outreach.approvals` under an alias. */
export const approvalJson = (
  a: string,
): string => `json_build_object('approval_id', ${a}.id, 'kind', ${a}.kind,
  'status', ${approvalStatus(a)}, 'sequence_id', ${a}.sequence_id, 'draft_id', ${a}.draft_id, 'version', ${a}.version,
  'digest', ${a}.digest, 'audience', ${a}.audience, 'messages', ${a}.messages, 'summary', ${a}.summary,
  'requested_by', ${a}.requested_by, 'decided_by', ${a}.decided_by, 'requested_at', ${isoTime(`${a}.requested_at`)},
  'decided_at', ${isoTime(`${a}.decided_at`)}, 'expires_at', ${isoTime(`${a}.expires_at`)},
  'links', json_build_object('app', '/app/approvals?mode=' || ${a}.mode || '&approval=' || ${a}.id))`;

/** Returns SQL of the status of an approval: one that was not used in time is expired, without a write. */
export function approvalStatus(a: string): string {
  return `CASE WHEN ${a}.status IN ('pending', 'approved') AND ${a}.expires_at <= clock_timestamp() THEN 'expired' ELSE ${a}.status END`;
}

const OF_SEQUENCE = (alias: string): string =>
  `${alias}.org_id = s.org_id AND ${alias}.mode = s.mode AND ${alias}.sequence_id = s.id`;

const messagesIn = (state: string): string =>
  `(SELECT count(*)::int FROM outreach.messages m WHERE ${OF_SEQUENCE('m')} AND m.state = '${state}')`;

const COUNTS = `(SELECT json_build_object('enrolled', coalesce(sum(g.n), 0)::int,
    ${ENROLLMENT_STATUSES.map((status) => `'${status}', coalesce(sum(g.n) FILTER (WHERE g.status = '${status}'), 0)::int`).join(', ')},
    'sent', ${messagesIn('sent')}, 'unknown', ${messagesIn('unknown')})
  FROM (SELECT e.status, count(*) AS n FROM outreach.enrollments e WHERE ${OF_SEQUENCE('e')} GROUP BY e.status) AS g)`;

const HAS_SENT_ALL = `${startedOnDay('b')} >= ${limitOfDay('b')}`;

/** Reason why an active sequence sends nothing, or nothing from the mailboxes of some of its people. */
const STATUS_REASON = `CASE WHEN s.status <> 'active' THEN NULL
  WHEN NOT EXISTS (SELECT FROM outreach.approvals a WHERE a.org_id = s.org_id AND a.mode = s.mode AND a.id = s.approval_id
    AND a.expires_at > clock_timestamp()) THEN 'Nothing leaves: the approval has expired.'
  ELSE (SELECT 'Nothing leaves from ' || string_agg(b.address || ' (' || CASE WHEN b.status <> 'connected' THEN b.status
        ELSE ${startedOnDay('b')} || ' messages today, which is its limit' END || ')', ', ' ORDER BY b.address) || '.'
    FROM outreach.mailboxes b
    WHERE b.org_id = s.org_id AND b.mode = s.mode AND b.id = ANY (s.mailbox_ids) AND (b.status <> 'connected' OR ${HAS_SENT_ALL})
      AND EXISTS (SELECT FROM outreach.enrollments e WHERE ${OF_SEQUENCE('e')} AND e.mailbox_id = b.id AND e.status = 'active'))
  END`;

const SUMMARY = `'sequence_id', s.id, 'name', s.name, 'status', s.status, 'status_reason', ${STATUS_REASON}, 'version', s.version, 'steps', s.step_count,
  'counts', ${COUNTS}, 'links', json_build_object('self', '/v1/sequences/' || s.id, 'app', '/app/sequences/' || s.id || '?mode=' || s.mode),
  'created_at', ${isoTime('s.created_at')}`;

/** Resource SequenceSummary, from `outreach.sequences s`. */
export const SEQUENCE_SUMMARY_JSON = `json_build_object(${SUMMARY})`;

/** Resource Sequence, from `outreach.sequences s`. */
export const SEQUENCE_JSON = `json_build_object(${SUMMARY}, 'definition', s.definition,
  'approval', (SELECT ${approvalJson('a')} FROM outreach.approvals a WHERE ${OF_SEQUENCE('a')}
    ORDER BY a.requested_at DESC, a.id DESC LIMIT 1))`;

import { approvalStatus } from '../sequences/sequence-json.sql.js';

/** Resource MessageDraft, from `outreach.drafts d` with its approval `a`; null when there is none. */
export const DRAFT_JSON = `CASE WHEN d.id IS NOT NULL THEN json_build_object('draft_id', d.id, 'to', d.to_address,
  'subject', d.subject, 'body_text', d.body_text, 'digest', d.digest, 'approval_id', d.approval_id,
  'approval_status', ${approvalStatus('a')},
  'message_id', (SELECT m.id FROM outreach.messages m WHERE m.org_id = d.org_id AND m.mode = d.mode AND m.draft_id = d.id),
  'links', json_build_object('app', '/app/approvals?mode=' || d.mode || '&approval=' || d.approval_id)) END`;

/**
 * @param message alias of `outreach.messages` in the statement
 * @returns the condition that the approval of a message holds now: a person has given it, it has not expired, it covers another
 *   message, and it is of what the sequence or the draft says today. A change, a pause or a further enrollment takes
 *   `sequences.approval_id` away, so that the approval of today is that of its version and digest
 */
export function approvalHolds(message: string): string {
  return `EXISTS (
    SELECT FROM outreach.approvals a
    WHERE a.org_id = ${message}.org_id AND a.mode = ${message}.mode AND a.id = ${message}.approval_id
      AND a.status = 'approved' AND a.expires_at > clock_timestamp() AND a.started < a.messages
      AND CASE a.kind
        WHEN 'sequence' THEN EXISTS (
          SELECT FROM outreach.sequences s
          WHERE s.org_id = a.org_id AND s.mode = a.mode AND s.id = a.sequence_id AND s.id = ${message}.sequence_id
            AND s.status = 'active' AND s.approval_id = a.id AND s.version = a.version)
        ELSE EXISTS (
          SELECT FROM outreach.drafts d
          WHERE d.org_id = a.org_id AND d.mode = a.mode AND d.id = a.draft_id AND d.id = ${message}.draft_id
            AND d.approval_id = a.id AND d.digest = a.digest)
      END)`;
}

/**
 * Returns the condition that the approval of a message is valid now: a person has given it, it has not expired, it covers one
 * more message, and it is of the current sequence or draft. A change, a pause or a further enrollment clears
 * `sequences.approval_id`, so the current approval always matches version and digest.
 * @param message alias of `outreach.messages` in the statement
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

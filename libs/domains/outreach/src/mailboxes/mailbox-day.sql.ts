/** Messages on the first day, and the increase on each further day. */
const RAMP = 10;

/**
 * @returns SQL of the current day in the time zone of a mailbox
 * @param at the time, by the database's clock
 */
export function dayOf(mailbox: string, at = 'now()'): string {
  return `(${at} AT TIME ZONE ${mailbox}.time_zone)::date`;
}

/** @returns SQL of the number of messages that a mailbox may send on the day of `at` */
export function limitOfDay(mailbox: string, at = 'now()'): string {
  const day = dayOf(mailbox, at);
  return `CASE WHEN ${mailbox}.ramp_up
    THEN least(${mailbox}.daily_limit, ${RAMP} * (1 + greatest(0, ${day} - coalesce(${mailbox}.first_day, ${day}))))
    ELSE ${mailbox}.daily_limit END`;
}

/**
 * @returns SQL of the number of messages that a mailbox or a sequence has started to send on the day of `at`
 * @param owner alias of its table
 */
export function startedOnDay(owner: string, at = 'now()'): string {
  return `coalesce((SELECT y.started FROM outreach.sending_days y WHERE y.org_id = ${owner}.org_id AND y.mode = ${owner}.mode
    AND y.owner_id = ${owner}.id AND y.day = ${dayOf(owner, at)}), 0)`;
}

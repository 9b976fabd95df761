/** Messages of the first day, and how many more each further day allows. */
const RAMP = 10;

/** @returns the day of now by the clock of a mailbox. @param at the time, by the database's clock */
export function dayOf(mailbox: string, at = 'now()'): string {
  return `(${at} AT TIME ZONE ${mailbox}.time_zone)::date`;
}

/** @returns how many messages a mailbox may hand to its server on the day of `at` */
export function limitOfDay(mailbox: string, at = 'now()'): string {
  const day = dayOf(mailbox, at);
  return `CASE WHEN ${mailbox}.ramp_up
    THEN least(${mailbox}.daily_limit, ${RAMP} * (1 + greatest(0, ${day} - coalesce(${mailbox}.first_day, ${day}))))
    ELSE ${mailbox}.daily_limit END`;
}

/** @returns how many bodies were begun on the day of `at`, by a mailbox or a sequence. @param owner alias of its table */
export function startedOnDay(owner: string, at = 'now()'): string {
  return `coalesce((SELECT y.started FROM outreach.sending_days y WHERE y.org_id = ${owner}.org_id AND y.mode = ${owner}.mode
    AND y.owner_id = ${owner}.id AND y.day = ${dayOf(owner, at)}), 0)`;
}

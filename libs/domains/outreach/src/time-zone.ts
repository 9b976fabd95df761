/**
 * @returns whether a text names a time zone for this process and for PostgreSQL alike: a place, or UTC. Of an offset PostgreSQL reads the
 *   sign the other way round; of abbreviations it knows some as other zones, and some not at all, which would fail whatever reads them
 */
export function isTimeZone(text: string): boolean {
  if (!/^(?:UTC|GMT|[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+)$/i.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    // PostgreSQL has dropped these two.
    return !/^(?:US\/Pacific-New|Canada\/East-Saskatchewan)$/i.test(text);
  } catch {
    return false;
  }
}

/**
 * @returns whether a text names a time zone for both this process and PostgreSQL: a place, a country, or UTC. PostgreSQL reads
 * the sign of an offset the other way round, interprets some abbreviations differently (CET without summer time), and fails for others
 */
export function isTimeZone(text: string): boolean {
  if (!/^(?:UTC|GMT|[A-Z]{4,}|[A-Z_]+(?:\/[A-Z0-9_+-]+)+)$/i.test(text)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    // PostgreSQL has dropped these two.
    return !/^(?:US\/Pacific-New|Canada\/East-Saskatchewan)$/i.test(text);
  } catch {
    return false;
  }
}

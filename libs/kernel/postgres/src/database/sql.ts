/** @returns SQL that formats a timestamp as ISO 8601 UTC text with milliseconds; null stays null */
export function isoTime(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

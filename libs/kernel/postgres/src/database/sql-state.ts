/** @returns the SQLSTATE of a driver error, or '' if there is none */
export function sqlState(error: unknown): string {
  const direct = error as { code?: unknown; driverError?: { code?: unknown } } | null;
  const code = direct?.driverError?.code ?? direct?.code;
  return typeof code === 'string' ? code : '';
}

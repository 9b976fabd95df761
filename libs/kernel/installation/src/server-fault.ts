/** @returns the reason why a server cannot be used: the driver's message, or a better one for the operator */
export function serverFault(error: Error & { code?: string }, product: string, timeoutMs: number): string {
  if (error.code === 'ECONNREFUSED') return 'nothing listens there';
  if (error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') return 'the host name is unknown';
  if (error.message === 'timeout expired')
    return `it did not answer like ${product} within ${timeoutMs / 1000} s`;
  if (error.message.includes('client password must be a string')) return 'it requires a password';
  if (error.name === 'ParserError') return `what listens there does not answer like ${product}`;
  return (error.message.split('\n')[0] ?? '').replace(/[.\s]+$/, '') || 'no connection';
}

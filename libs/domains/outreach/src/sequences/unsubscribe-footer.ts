/** @returns the text of a message with the line that ends every message of a sequence */
export function withUnsubscribeFooter(text: string, url: string): string {
  return `${text}\n\nUnsubscribe: ${url}`;
}

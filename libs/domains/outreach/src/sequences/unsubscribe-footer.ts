/** @returns the text of a message of a sequence with the line that every such message ends with */
export function withUnsubscribeFooter(text: string, url: string): string {
  return `${text}\n\nUnsubscribe: ${url}`;
}

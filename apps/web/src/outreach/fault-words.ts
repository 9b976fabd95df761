/** @returns a refusal of a sequence with its places as the page calls them */
export function faultWords(text: string): string {
  return text.replace(
    /(?:changes\.)?steps\[(\d+)\]\.(body|subject)/g,
    (_, index, part) => `${part === 'body' ? 'The text' : 'The subject'} of message ${Number(index) + 1}`,
  );
}

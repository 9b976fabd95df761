/** @returns the refusal of a sequence, with the field names of the page instead of paths */
export function faultWords(text: string): string {
  return text.replace(
    /(?:changes\.)?steps\[(\d+)\]\.(body|subject)/g,
    (_, index, part) => `${part === 'body' ? 'The text' : 'The subject'} of message ${Number(index) + 1}`,
  );
}

/** @returns a number with its noun in the singular or plural, such as `1 credit` or `2.5 credits` */
export function formatCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

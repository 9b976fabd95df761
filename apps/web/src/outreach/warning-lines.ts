import type { SequencePreview } from '../api/resources';

const NAMED = 3;

/**
 * Returns the warnings of a preview, each sentence once, with its message and the people that it concerns.
 * @param addresses of people by enrollment; people without one are only counted
 */
export function warningLines(
  { warnings }: Pick<SequencePreview, 'warnings'>,
  addresses: ReadonlyMap<string, string>,
): string[] {
  const groups = Map.groupBy(warnings, ({ message, step }) => `${step} ${message}`);
  return [...groups.values()].map((same) => {
    const { message, step } = same[0]!;
    const line = step === null ? message : `Message ${step + 1}: ${message}`;
    const people = same.flatMap(({ enrollment_id: id }) => addresses.get(id ?? '') ?? []).slice(0, NAMED);
    if (step === null || people.length === 0)
      return same.length > 1 ? `${line} (${same.length} times)` : line;
    const others = same.length - people.length;
    return `${line} (${people.join(', ')}${others > 0 ? ` and ${others} more` : ''})`;
  });
}

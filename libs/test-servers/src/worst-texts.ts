/** QUARRY_TEXT_CASES=1000 makes that many for each parser. */
const CASES = Number(process.env.QUARRY_TEXT_CASES ?? 100);

/**
 * Milliseconds of one core that reading a worst text may take. The promise is 100 on a machine at rest, and `npm run test:inputs`
 * judges it; a suite beside others on a slow machine needs several times that, so there only what grows with the text fails.
 */
export const TEXT_CPU_MS_MAX = Number(process.env.QUARRY_TEXT_MS ?? 1_000);

/**
 * Makes texts that are dear to parse: each unit alone until the text is full, then two and three of them in turns, then one within
 * another. The same ones each time.
 * @param units what a parser is known, or likely, to look at twice
 * @param length characters of each text
 * @returns as many as QUARRY_TEXT_CASES says, with names; each unit alone at least
 */
export function worstTexts(units: readonly string[], length: number): Array<{ name: string; text: string }> {
  let state = 20_261_125;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = (): string => units[next(units.length)]!;
  const fill = (unit: string): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  const texts = units.map((unit) => ({ name: JSON.stringify(unit), text: fill(unit) }));
  while (texts.length < CASES) {
    const parts = Array.from({ length: 2 + next(2) }, pick);
    // A head, a middle that is repeated, and an end that the middle does not have.
    const isFramed = next(2) === 0;
    const [head = '', middle = '', tail = ''] = parts;
    const text = isFramed
      ? (head + fill(middle)).slice(0, length - tail.length) + tail
      : fill(parts.join(''));
    texts.push({ name: `${parts.map((part) => JSON.stringify(part)).join(isFramed ? ' … ' : ' ')}`, text });
  }
  return texts;
}

/** Number of texts per parser; set QUARRY_TEXT_CASES=1000 for more. */
const CASES = Number(process.env.QUARRY_TEXT_CASES ?? 25);

/**
 * Maximum CPU time for parsing a worst-case text, in milliseconds. The requirement is 100 on an idle machine, which
 * `npm run test:inputs` checks. A suite beside others on a slow machine needs several times that, so there only
 * superlinear growth fails.
 */
export const TEXT_CPU_MS_MAX = Number(process.env.QUARRY_TEXT_MS ?? 1_000);

/**
 * Generates texts that are expensive to parse: each unit repeated until the text is full, then two or three alternating,
 * then one nested in another. Deterministic.
 * @param units strings that a parser is known or likely to scan twice
 * @param length characters of each text
 * @returns QUARRY_TEXT_CASES texts with names, but at least one per unit
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
    // A head, a repeated middle, and an end that does not occur in the middle.
    const isFramed = next(2) === 0;
    const [head = '', middle = '', tail = ''] = parts;
    const text = isFramed
      ? (head + fill(middle)).slice(0, length - tail.length) + tail
      : fill(parts.join(''));
    texts.push({ name: `${parts.map((part) => JSON.stringify(part)).join(isFramed ? ' … ' : ' ')}`, text });
  }
  return texts;
}

/** Punctuation, numbers and words that parsers of fields scan twice. */
const VALUE_UNITS = [
  'a',
  '1',
  ' ',
  '@',
  'a@',
  '+49 ',
  '2026-01-01',
  '/',
  'https://a.example/',
  '.',
  'é',
  '\\u0061',
];
/** Items of which a list can contain many. */
const ITEMS = ['""', '0', 'null', '{}', '[]', '"a"', '{"id":1}', '[[[[]]]]'];

/** Number of responses: some forty parsers read them, and each has the maximum length, so a normal run uses fewer. */
const ANSWERS = CASES < 1_000 ? Math.ceil(CASES / 4) : CASES;
/** Numbers of items whose texts are all replaced by long ones. */
const LONG_ITEMS = [20, 500];

/**
 * Generates JSON responses that are expensive to read. Each position of a valid response is replaced by a list of as many
 * items as fit (of its own and of others), by an object with as many fields, and by a text of maximum length.
 * Deterministic.
 * @param meant a valid response
 * @param length characters of each response
 * @returns at most a quarter of QUARRY_TEXT_CASES, or all of them from 1,000, spread over all positions
 */
export function worstAnswers(meant: unknown, length: number): Array<{ name: string; text: string }> {
  const cases: Array<{ name: string; make: () => string }> = [];
  const whole = JSON.stringify(meant) ?? '';
  const many = (item: string, left: number): string => {
    const count = Math.max(1, Math.floor(left / (item.length + 1)));
    return Array.from({ length: count }, () => item).join(',');
  };
  for (const { path, value, around } of placesIn(meant)) {
    const left = length - whole.length - 10;
    const put = (name: string, json: () => string): void => {
      cases.push({ name: `${path} ${name}`, make: () => around(json()) });
    };
    const own = Array.isArray(value) ? value : [];
    const items = [...new Set([...own.map((each) => JSON.stringify(each)), JSON.stringify(value), ...ITEMS])];
    for (const item of items) put(`[${item.slice(0, 40)} …]`, () => `[${many(item, left)}]`);
    if (own.length > 0)
      for (const unit of VALUE_UNITS)
        for (const count of LONG_ITEMS)
          put(`${count} items of "${unit} …"`, () => {
            const bytes = left / count / JSON.stringify(own[0]).split('":"').length;
            const item = withTexts(own[0], unit.repeat(Math.floor(bytes / Buffer.byteLength(unit))));
            return `[${Array.from({ length: count }, () => item).join(',')}]`;
          });
    put(
      '{"n": …}',
      () => `{${Array.from({ length: Math.floor(left / 10) }, (_, at) => `"${at}":0`).join(',')}}`,
    );
    for (const unit of VALUE_UNITS)
      put(`"${unit} …"`, () => `"${unit.repeat(Math.floor(left / Buffer.byteLength(unit)))}"`);
  }
  const step = Math.max(1, cases.length / ANSWERS);
  const chosen = Array.from(
    { length: Math.min(cases.length, ANSWERS) },
    (_, at) => cases[Math.floor(at * step)]!,
  );
  return chosen.map(({ name, make }) => ({ name, text: make() }));
}

/** @returns the JSON of a value with all its texts replaced, except field names */
function withTexts(value: unknown, text: string): string {
  if (typeof value === 'string') return `"${text}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, each]) => [JSON.stringify(key), withTexts(each, text)]);
  if (Array.isArray(value)) return `[${parts.map(([, each]) => each).join(',')}]`;
  return `{${parts.map((each) => each.join(':')).join(',')}}`;
}

interface PlaceInJson {
  path: string;
  value: unknown;
  /** @returns the whole response with this position replaced by other JSON */
  around: (json: string) => string;
}

function placesIn(value: unknown, path = '$', around = (json: string): string => json): PlaceInJson[] {
  const own = { path, value, around };
  if (typeof value !== 'object' || value === null) return [own];
  const entries = Object.entries(value);
  const inner = entries.flatMap(([key, each], at) =>
    placesIn(each, `${path}.${key}`, (json) => {
      const parts = entries.map(([name, other], i) => {
        const text = i === at ? json : JSON.stringify(other);
        return Array.isArray(value) ? text : `${JSON.stringify(name)}:${text}`;
      });
      return around(Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`);
    }),
  );
  return [own, ...inner];
}

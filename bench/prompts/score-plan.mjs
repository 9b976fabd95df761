// Scores the plan that a reader created from a prompt against its intent.

/** Equivalent filters: any of one product is the same as all of it. */
const SAME_FILTER = { all_technologies: 'technologies' };

/** @returns the facets of an intent, in the notation of gold-prompts.mjs */
export function facetsOf({ filters, exclusions }) {
  return new Set([
    ...filters.flatMap((filter) => facets(filter, filter.op === 'is' && !filter.value)),
    ...exclusions.flat().flatMap((filter) => facets(filter, !(filter.op === 'is' && !filter.value))),
  ]);
}

/**
 * @param gold one of GOLD_PROMPTS
 * @param intent result of a reader
 * @returns facets that were found, missed and invented; words neither applied nor reported; whether everything is exact
 */
export function scored(gold, intent) {
  const wanted = gold.facets.filter(({ facet }) => !facet.startsWith('unknown:'));
  const read = facetsOf(intent);
  const known = new Set(wanted.map(({ facet }) => sameAs(facet)));
  const found = [...known].filter((facet) => read.has(facet));
  const invented = [...read].filter((facet) => !known.has(facet));
  const isNamed = (words) =>
    intent.not_understood.some((each) => each.includes(words) || words.includes(each));
  const silent = gold.facets.filter(({ facet, words }) => !read.has(sameAs(facet)) && !isNamed(words));
  const isCount = (intent.count?.value ?? null) === gold.count;
  const isExact =
    found.length === known.size && invented.length === 0 && isCount && intent.entity === gold.entity;
  return { found, missed: [...known].filter((facet) => !read.has(facet)), invented, silent, isExact };
}

function facets({ filter, op, value }, isNegative) {
  const sign = isNegative ? '-' : '';
  const values = op === 'is' ? [true] : value;
  return values.map((each) => sameAs(`${sign}${filter}:${valueText(op, each)}`));
}

function sameAs(facet) {
  const [, sign, filter, value] = /^(-?)(\w+):(.*)$/.exec(facet);
  return `${sign}${SAME_FILTER[filter] ?? filter}:${value}`;
}

function valueText(op, value) {
  if (op === 'between') return `${value.min ?? ''}..${value.max ?? ''}`;
  if (op === 'in') return value.id;
  return typeof value === 'object'
    ? `${value.seniorities.join('+')}/${value.departments.join('+')}`
    : String(value);
}

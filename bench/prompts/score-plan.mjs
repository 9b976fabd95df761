// Scores the plan that a reader made of a prompt against its intent.

/** Filters that ask for the same in two ways: any of one product is all of it. */
const SAME_FILTER = { all_technologies: 'technologies' };

/** @returns the facets of an intent, as gold-prompts.mjs writes them */
export function facetsOf({ filters, exclusions }) {
  return new Set([
    ...filters.flatMap((filter) => facets(filter, filter.op === 'is' && !filter.value)),
    ...exclusions.flat().flatMap((filter) => facets(filter, !(filter.op === 'is' && !filter.value))),
  ]);
}

/**
 * @param gold one of GOLD_PROMPTS
 * @param intent what a reader made of it
 * @returns facets that were found, missed and invented; what was neither honoured nor named; whether all of it is exact
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

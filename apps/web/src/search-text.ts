type Values = Record<string, string | string[]>;

/** @returns the parameters of an address as text; a repeated name has a list */
export function readSearch(search: string): Values {
  const values: Values = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const before = values[name];
    values[name] = before === undefined ? value : [before, value].flat();
  }
  return values;
}

/** @returns the inverse of {@link readSearch}, with a leading question mark; empty when nothing is set */
export function writeSearch(values: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const each of [value].flat())
      if (each !== undefined && each !== '') search.append(name, String(each));
  const text = search.toString();
  return text ? `?${text}` : '';
}

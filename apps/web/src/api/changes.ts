const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/**
 * Returns the body of a PATCH: the fields that a form has changed, and their last known values, so that the server refuses to
 * overwrite a change that somebody else has saved in the meantime.
 * @param opened the resource as the form was opened with it
 * @param known the resource as it was last read
 */
export function changesOf<Item extends object>(fields: Partial<Item>, opened: Item, known: Item) {
  const names = (Object.keys(fields) as Array<keyof Item>).filter(
    (name) => !isSame(fields[name], opened[name]),
  );
  const pick = (from: Partial<Item>) =>
    Object.fromEntries(names.map((name) => [name, from[name]])) as Partial<Item>;
  return { ...pick(fields), expected: pick(known) };
}

/** Returns a sentence about the fields that somebody else has changed; null when none has changed. */
export function changedElsewhere<Item extends object>(
  known: Item,
  now: Item,
  labels: Partial<Record<keyof Item, string>>,
): string | null {
  const changed = (Object.keys(labels) as Array<keyof Item>).filter(
    (name) => !isSame(known[name], now[name]),
  );
  if (changed.length === 0) return null;
  const parts = changed.map((name) => {
    const value = now[name];
    const isPlain = typeof value === 'string' || typeof value === 'number';
    return isPlain ? `${labels[name]} (now “${value}”)` : labels[name];
  });
  return `Saved elsewhere since you opened this: ${parts.join(', ')}. What you have changed is still here: saving again replaces it there.`;
}

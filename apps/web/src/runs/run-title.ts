interface Named {
  readonly name: string;
}

/** @returns the prompt of a run, or the names of its tables while the prompt is loaded and once it is no longer kept */
export function runTitle(prompt: string | undefined, tables: readonly Named[] = []): string {
  return [prompt, tables.map(({ name }) => name).join(', '), 'Run'].find(Boolean)!;
}

const editOf = ([file, text, without]) => ({ file, text, without });

/**
 * @param spec where its tests stand: a unit spec or a database spec
 * @param tests the part of the spec that is run, as a pattern of Jest's -t
 * @param edits what takes the guard away: file, text, and what stands there without it
 */
export const mutant = (name, spec, tests, ...edits) => ({
  name,
  spec,
  tests,
  behind: [],
  edits: edits.map(editOf),
});

/** A guard that another one hides: `hiding` is what takes that one away. */
export const hiddenMutant = (name, spec, tests, hiding, ...edits) => ({
  ...mutant(name, spec, tests, ...edits),
  behind: hiding.map(editOf),
});

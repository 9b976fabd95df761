import fc from 'fast-check';

/** Number of concurrent walkers, each in its own organisations, so that no core idles while a query runs. */
const WALKERS = 4;

/**
 * Runs random commands against a model until enough steps were checked.
 * @param options.walk a walk that counts its steps in the tally; passed once per round of a walker
 * @param options.walksAtOnce walks of a round: few, so that a walker stops soon after it has made its steps
 * @param options.limitMs ends the shrinking of a failure before Jest's timeout, which would hide it
 * @returns the tallies of the walkers
 * @throws fast-check's report of a failure: its seed, and the fewest commands that reproduce it
 */
export async function walkBesideModel<Tally extends { steps: number }, Walk extends [unknown]>(options: {
  seed: number;
  stepsMin: number;
  walksAtOnce: number;
  limitMs: number;
  tally: () => Tally;
  walk: (tally: Tally) => fc.IAsyncProperty<Walk>;
}): Promise<Tally[]> {
  const { seed, stepsMin, walksAtOnce, limitMs } = options;
  const walker = async (number: number): Promise<Tally> => {
    const tally = options.tally();
    // Walks have random lengths, so a walker continues until it has made its steps.
    for (let round = 0; tally.steps < stepsMin / WALKERS; round += 1)
      await fc.assert(options.walk(tally), {
        seed: seed + number + WALKERS * round,
        numRuns: walksAtOnce,
        interruptAfterTimeLimit: limitMs,
        markInterruptAsFailure: true,
      });
    return tally;
  };
  return Promise.all(Array.from({ length: WALKERS }, (_, number) => walker(number)));
}

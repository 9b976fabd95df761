import fc from 'fast-check';

/** Walkers at once, each in organisations of its own, so that no core waits for the other's answer. */
const WALKERS = 4;

/**
 * Walks at random beside a model until enough steps have been judged.
 * @param options.walk a walk that adds what it judges to the tally; given once for each round of a walker
 * @param options.walksAtOnce walks of a round: few, so that a walker stops soon after it has made its steps
 * @param options.limitMs ends the search for a smaller failure before Jest ends the test and says nothing
 * @returns the tallies of the walkers
 * @throws what fast-check says of a failure: its seed, and the fewest commands that make it
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
    // Walks are of random lengths, so a walker goes on until it has made its steps.
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

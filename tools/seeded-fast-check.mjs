// The fast-check of specs (jest.config.mjs): the library with one seed for all properties, so that the same code gets the same
// result each time. SEED sets another seed; `npm run explore` searches for failing ones.
import fc from '../node_modules/fast-check/lib/fast-check.js';

const SEED = 20_261_122;

fc.configureGlobal({ seed: Number(process.env.SEED ?? SEED) });

export * from '../node_modules/fast-check/lib/fast-check.js';
export default fc;

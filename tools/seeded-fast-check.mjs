// The fast-check of specs (jest.config.mjs): the library, with one seed for every property, so that the same code gets
// the same verdict each time. SEED gives another one; `npm run explore` looks for those that fail.
import fc from '../node_modules/fast-check/lib/fast-check.js';

const SEED = 20_261_122;

fc.configureGlobal({ seed: Number(process.env.SEED ?? SEED) });

export * from '../node_modules/fast-check/lib/fast-check.js';
export default fc;

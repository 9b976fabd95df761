// Builds the changed packages and runs the suites; further arguments are passed to Jest: npm test -- --selectProjects unit
import { prepare } from './prepare.mjs';

// The default suites load packages from their sources. Only the package that starts their database must be built, and the SDK
// generates a part of its sources.
const isDefault = !process.argv.some((arg) => arg.startsWith('--selectProjects'));
await prepare(isDefault ? '@quarry/testing,@quarry/sdk' : null);
await import('./run-jest.mjs');

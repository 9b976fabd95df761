// Builds what has changed and runs the suites; further arguments go to Jest: npm test -- --selectProjects unit
import { prepare } from './prepare.mjs';

// The suites that run without a choice load packages from their source. Only what starts their database is a program, and the
// SDK makes a part of its sources.
const isDefault = !process.argv.some((arg) => arg.startsWith('--selectProjects'));
await prepare(isDefault ? '@quarry/testing,@quarry/sdk' : null);
await import('./run-jest.mjs');

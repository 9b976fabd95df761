// Builds what has changed and runs the suites; further arguments go to Jest: npm test -- --selectProjects unit
import { prepare } from './prepare.mjs';

await prepare();
await import('./run-jest.mjs');

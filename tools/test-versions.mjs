// Runs processes of the release before this one beside those of this checkout, in the pairs that an upgrade goes through
// (docs/operations.md, Upgrades). Further arguments go to Jest. npm run test:versions
import { prepare } from './prepare.mjs';
import { previousVersion } from './previous-version.mjs';

await prepare();
try {
  const { root, commit } = await previousVersion();
  console.error(`The previous version is ${commit}.`);
  process.env.QUARRY_PREVIOUS_ROOT = root;
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
process.argv.push('--selectProjects', 'versions', '--runInBand');
await import('./run-jest.mjs');

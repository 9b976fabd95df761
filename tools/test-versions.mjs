// Runs processes of the previous release next to those of this checkout, in the combinations of an upgrade (docs/operations.md,
// Upgrades). Further arguments are passed to Jest. npm run test:versions
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

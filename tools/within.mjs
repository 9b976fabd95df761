// Runs a command, and ends it with everything it started when it takes too long: node tools/within.mjs 15 npm test
// (minutes first). Ends with the command's own code, or with 124 when its time was over.
import { spawn } from 'node:child_process';
import { killTree } from './process-tree.mjs';

const [minutes, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: 'inherit' });
let isLate = false;
const timer = setTimeout(() => {
  isLate = true;
  console.error(`\n"${[command, ...args].join(' ')}" took more than ${minutes} minutes and is ended.`);
  killTree(child.pid);
}, minutes * 60_000);
// From a terminal the command has the signal too; from a supervisor it has not.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on('exit', (code) => {
  clearTimeout(timer);
  process.exit(isLate ? 124 : (code ?? 1));
});

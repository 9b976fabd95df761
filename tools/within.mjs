// Runs a command, and ends it with everything it started when it takes too long: node tools/within.mjs 15 npm test
// (minutes first). Ends with the command's own code, or with 124 when its time was over.
import { spawn } from 'node:child_process';
import { endTreeWithThis, killTree } from './process-tree.mjs';

const [minutes, command, ...args] = process.argv.slice(2);
// In a group of its own, so that Ctrl-C reaches this process alone, which then ends all of it.
const child = spawn(command, args, { stdio: 'inherit', detached: true });
let isLate = false;
const timer = setTimeout(() => {
  isLate = true;
  console.error(`\n"${[command, ...args].join(' ')}" took more than ${minutes} minutes and is ended.`);
  killTree(child.pid);
}, minutes * 60_000);
endTreeWithThis(child.pid);
child.on('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on('exit', (code) => {
  clearTimeout(timer);
  process.exit(isLate ? 124 : (code ?? 1));
});

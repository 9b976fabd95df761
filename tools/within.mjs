// Runs a command, and ends it with everything that it has started when it takes too long: node tools/within.mjs 15 npm test
// (minutes first). Exits with the command's own code, or with 124 after the time limit.
import { spawn } from 'node:child_process';
import { endTreeWithThis, killTree } from './process-tree.mjs';

const [minutes, command, ...args] = process.argv.slice(2);
// In a separate process group, so that Ctrl-C reaches only this process, which then ends all of it.
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

// Runs a command, and ends it with everything it started when it takes too long: node tools/within.mjs 15 npm test
// (minutes first). Ends with the command's own code, or with 124 when its time was over.
import { spawn } from 'node:child_process';

const [minutes, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: 'inherit', detached: true });
let isLate = false;

const end = (signal) => {
  try {
    // The group: what the command started, and what that started.
    process.kill(-child.pid, signal);
  } catch {
    // It has ended by itself.
  }
};
const timer = setTimeout(() => {
  isLate = true;
  console.error(`\n"${[command, ...args].join(' ')}" took more than ${minutes} minutes and is ended.`);
  end('SIGKILL');
}, minutes * 60_000);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(signal));
child.on('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on('exit', (code) => {
  clearTimeout(timer);
  process.exit(isLate ? 124 : (code ?? 1));
});

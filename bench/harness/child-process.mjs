// The processes of a side: started one by one, controlled over IPC, stopped by id.
import { fork, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nodeFlagsOf, programOf } from '../../tools/node-flags.mjs';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const STOP_MS = 15_000;
/** Flags for a CPU profile of every process in .bench/, with BENCH_PROFILE=1. */
const PROFILE = process.env.BENCH_PROFILE ? ['--cpu-prof', '--cpu-prof-dir=.bench'] : [];

/**
 * Starts a script of this folder, which sends `ready` over IPC.
 * @param {string} script path below bench/
 * @param {Record<string, unknown>} options passed to the script, see {@link serveCommands}
 * @param {string[]} flags for Node; none by default
 */
export async function startScript(script, options = {}, flags = []) {
  const child = fork(`${ROOT}bench/${script}`, [JSON.stringify(options)], {
    cwd: ROOT,
    execArgv: [...flags, ...PROFILE],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const facts = await nextMessage(child, script);
  return {
    pid: child.pid,
    facts,
    ask: (command) => {
      const answer = nextMessage(child, script);
      child.send(command);
      return answer;
    },
    close: () => stop(child),
  };
}

/**
 * Starts an application of the product.
 * @param {string} app folder below apps/
 */
export function startApp(app, env) {
  const child = spawn(process.execPath, [...nodeFlagsOf(app), ...PROFILE, programOf(app)], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { pid: child.pid, close: () => stop(child) };
}

/** Resolves when an address answers with 200. @throws Error after 60 s */
export async function untilOk(url) {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    if (
      await fetch(url).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return;
    await delay(20);
  }
  throw new Error(`${url} does not answer.`);
}

/**
 * Counterpart of {@link startScript}: opens what the script serves, then answers commands until it is stopped.
 * @param {(options: any) => Promise<{ facts?: object, answer?: (command: any) => Promise<unknown>, close?: () => Promise<void> }>} open
 */
export async function serveCommands(open) {
  const served = await open(JSON.parse(process.argv[2] ?? '{}'));
  process.on('message', async (command) => {
    try {
      process.send({ value: await served.answer(command) });
    } catch (error) {
      process.send({ fault: error.stack });
    }
  });
  process.once('SIGTERM', () => void Promise.resolve(served.close?.()).then(() => process.exit(0)));
  process.once('disconnect', () => process.exit(0));
  process.send({ value: served.facts ?? {} });
}

async function nextMessage(child, script) {
  const { value, fault } = await new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`${script} ended with code ${code}.`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
  if (fault) throw new Error(`${script}: ${fault}`);
  return value;
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}

// The product under `npm run dev`: its database keeps running while the product is restarted.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { nodeFlagsOf } from '../node-flags.mjs';
import { nodeOfProject } from '../prepare.mjs';
import { compileCache } from '../run-app.mjs';

const PRELOAD = new URL('standby.preload.mjs', import.meta.url).href;
/** Last line of the start screen. */
const READY_LINE = 'Press Ctrl-C to stop.';

export class DevProduct {
  #root;
  #flags;
  #database;
  #url;
  #current = null;
  #standby = null;
  #hasStarted = false;
  #isStopping = false;

  /**
   * Starts the database of the data folder; {@link restart} then starts the product.
   * @param {string} root folder of the checkout
   * @param {string[]} flags for the product's Node, such as `--inspect`
   */
  constructor(root, flags) {
    this.#root = root;
    this.#flags = flags;
    this.#database = this.#fork('database.main.js', { execArgv: nodeFlagsOf('local') });
    this.#url = once(this.#database, 'message').then(([url]) => url);
    this.#database.once('exit', (code) => {
      if (!this.#isStopping) void this.stop('SIGTERM').then(() => process.exit(code || 1));
    });
  }

  /** Stops the product and starts it from the current build. @returns when it is ready, or has ended */
  async restart() {
    const from = performance.now();
    const url = await this.#url;
    await this.#end(this.#current, 'SIGTERM');
    if (this.#isStopping) return;
    const product = isAlive(this.#standby) ? this.#standby : this.#forkProduct(url);
    this.#current = product;
    this.#standby = null;
    product.send('start');
    if (!(await this.#becomesReady(product)) || this.#isStopping) return;
    if (this.#hasStarted)
      console.log(`Started again in ${((performance.now() - from) / 1000).toFixed(1)} s.`);
    this.#hasStarted = true;
    // Two processes cannot open the same debugger port.
    if (this.#flags.length === 0) this.#standby = this.#forkProduct(url);
  }

  /** Stops the product, then its database; a second call forces the product to end. @returns when both have ended */
  async stop(signal) {
    this.#isStopping = true;
    this.#standby?.kill('SIGKILL');
    await this.#end(this.#current, signal);
    if (this.#database.connected) this.#database.disconnect();
    await this.#end(this.#database);
  }

  /** Shows the start screen once. @returns whether it appeared before the product ended */
  #becomesReady(product) {
    return new Promise((resolve) => {
      let screen = '';
      product.stdout.setEncoding('utf8').on('data', (chunk) => {
        const isScreen = this.#hasStarted && screen !== null;
        if (!isScreen) process.stdout.write(chunk);
        if (screen === null) return;
        screen += chunk;
        if (!screen.includes(READY_LINE)) return;
        screen = null;
        resolve(true);
      });
      product.once('exit', (code, how) => {
        if (!product.isEnding)
          console.error(`The product ended (${how ?? `code ${code}`}); it starts again when a file changes.`);
        resolve(false);
      });
    });
  }

  #forkProduct(url) {
    return this.#fork('main.js', {
      execArgv: [...nodeFlagsOf('local'), '--enable-source-maps', ...this.#flags, '--import', PRELOAD],
      env: { ...compileCache(this.#root), ...process.env, DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
  }

  /** Starts the process in a separate group: Ctrl-C reaches only the command, which stops the product before its database. */
  #fork(file, options) {
    const execPath = nodeOfProject(this.#root);
    return fork(`apps/local/dist/${file}`, { cwd: this.#root, execPath, detached: true, ...options });
  }

  async #end(child, signal) {
    if (!isAlive(child)) return;
    child.isEnding = true;
    const ended = once(child, 'exit');
    if (signal) child.kill(signal);
    await ended;
  }
}

function isAlive(child) {
  return child !== null && child.exitCode === null && child.signalCode === null;
}

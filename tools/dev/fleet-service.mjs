// One service of a fleet under `npm run dev -- <service>`: the fleet restarts the processes of this service only.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fleetPrograms, nodeFlagsOf, programOf } from '../node-flags.mjs';
import { nodeOfProject } from '../prepare.mjs';

export class DevFleetService {
  #hasStarted = false;

  /**
   * @param {string} root folder of the checkout
   * @param {string} app folder of the service in apps/
   * @param {string[]} flags for its Node, such as `--inspect`
   */
  constructor(root, app, flags) {
    this.app = app;
    const programs = fleetPrograms();
    // During development the service runs its compiled modules, not the bundle.
    const own = {
      flags: [...programs[app].flags, '--enable-source-maps', ...flags],
      program: 'dist/main.js',
    };
    this.fleet = fork(programOf('fleet'), [JSON.stringify({ ...programs, [app]: own })], {
      cwd: root,
      execPath: nodeOfProject(root),
      execArgv: nodeFlagsOf('fleet'),
      detached: true,
    });
    this.fleet.once('exit', (code) => process.exit(code ?? 1));
  }

  async restart() {
    if (this.#hasStarted) this.fleet.send({ restart: this.app });
    this.#hasStarted = true;
  }

  /** @returns a promise that resolves when the fleet has ended */
  async stop(signal) {
    const ended = once(this.fleet, 'exit');
    this.fleet.kill(signal);
    await ended;
  }
}

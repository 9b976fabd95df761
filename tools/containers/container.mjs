// Runs a container as a kubelet would, from a pod that was read from a manifest: with bubblewrap, a network of its own and a
// limit of memory. It is asked and stopped as the manifest says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryGroup } from './memory-group.mjs';
import { configOf, programOf } from './image.mjs';
import { sandboxed } from './sandbox.mjs';

/** Milliseconds between two probes while a start is timed; a kubelet probes each `periodSeconds`. */
const LOOK_MS = 20;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Container {
  output = '';
  child = null;
  pid = null;
  /** True where it is to end as soon as its process id is known. */
  isUnwanted = false;

  /**
   * @param {object} pod of podsOf
   * @param {{ network: PodNetwork, groups: object | null, rootOf: (target: string) => string, folder: string }} machine where
   *   it runs: its network, where groups are made (null: without limits), the root of each image, and a folder for its files
   */
  constructor(pod, machine, name = pod.name) {
    Object.assign(this, { pod, machine, name });
    this.place = machine.network.addPod();
    this.group = machine.groups && new MemoryGroup(machine.groups, name, pod.memoryBytes);
    this.files = join(machine.folder, name);
    mkdirSync(this.files, { recursive: true });
    for (const [file, text] of Object.entries(machine.network.filesFor(this.place)))
      writeFileSync(join(this.files, file), text);
  }

  get address() {
    return this.place.address;
  }

  get hasEnded() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Starts its program. */
  async start() {
    const image = configOf(this.pod.target);
    this.output = '';
    this.pid = null;
    this.isUnwanted = false;
    this.began = performance.now();
    // bwrap itself only waits; it says on its fourth descriptor which process is the program.
    const [command, ...args] = this.commandFor(programOf(image, this.pod), ['--json-status-fd', '3']);
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    this.exited = once(this.child, 'exit').then(([code, signal]) => signal ?? code);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (this.output += text));
    this.pid = await Promise.race([this.saidPid(), this.exited.then(() => null)]);
    if (this.pid === null) throw new Error(`${this.name} could not be started: ${this.output}`);
    if (this.isUnwanted) this.kill();
    return this;
  }

  /** Read to its end: bwrap says there how the program has ended, too. */
  saidPid() {
    let said = '';
    return new Promise((resolve) =>
      this.child.stdio[3].setEncoding('utf8').on('data', (text) => {
        said += text;
        if (said.includes('\n')) resolve(JSON.parse(said.split('\n')[0])['child-pid']);
      }),
    );
  }

  /**
   * Runs a program to its end with all that the manifest gives, in place of the container's own or beside it.
   * @returns {Promise<{ code: number | string, stdout: string, stderr: string, ms: number }>} its code, or the signal that
   *   ended it, and what it printed
   */
  async run(program = programOf(configOf(this.pod.target), this.pod)) {
    const [command, ...args] = this.commandFor(program);
    const began = performance.now();
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => (said[name] += text));
    const [code, signal] = await once(child, 'close');
    return { code: signal ?? code, ...said, ms: Math.round(performance.now() - began) };
  }

  /** @returns the whole command line: group, network, user, sandbox, program */
  commandFor(program, own = []) {
    const { pod, machine, place, files, group } = this;
    const image = configOf(pod.target);
    const inside = {
      root: machine.rootOf(pod.target),
      files: Object.fromEntries(['hosts', 'resolv.conf'].map((file) => [`/etc/${file}`, join(files, file)])),
      name: this.name,
      folder: image.folder,
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOSTNAME: this.name, ...image.env, ...pod.env },
      own,
    };
    return [...(group?.entering ?? []), ...place.entering, ...sandboxed(pod, inside, program)];
  }

  /** @returns whether a probe of the manifest is answered as a kubelet wants it: a status from 200 to 399 within its time */
  async answers(probe) {
    const { path, port, timeoutMs } = this.pod.probes[probe];
    return fetch(`http://${this.address}:${port}${path}`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status >= 200 && answer.status < 400;
      },
      () => false,
    );
  }

  /**
   * Waits as a kubelet does: for the startup probe, then for readiness and liveness.
   * @returns milliseconds from the start to both. @throws Error when it ends, or the probes' time is over
   */
  async becomeReady() {
    const { startupProbe, readinessProbe } = this.pod.probes;
    const startMs = await this.untilAnswered(
      'startupProbe',
      startupProbe.periodMs * startupProbe.failuresMax,
    );
    // A pod that is not ready is not ended; the time is only to see an end of this.
    const readyMs = await this.untilAnswered('readinessProbe', readinessProbe.periodMs * 12);
    if (!(await this.answers('livenessProbe'))) throw new Error(`${this.name} is ready and not alive.`);
    return { startMs, readyMs };
  }

  async untilAnswered(probe, withinMs) {
    const until = performance.now() + withinMs;
    while (!(await this.answers(probe))) {
      if (this.hasEnded)
        throw new Error(`${this.name} ended with ${await this.exited} before its ${probe}:\n${this.output}`);
      if (performance.now() > until)
        throw new Error(`${this.name}: its ${probe} was not answered in ${withinMs} ms:\n${this.output}`);
      await pause(LOOK_MS);
    }
    return Math.round(performance.now() - this.began);
  }

  /** Compares the kernel's record of the program with the manifest. @returns the differences, in words */
  faultsOfRights() {
    const { uid, gid } = this.pod.user;
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const field = (name) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(status)?.[1].split(/\s+/).join(' ');
    const mounts = readFileSync(`/proc/${this.pid}/mountinfo`, 'utf8')
      .split('\n')
      .map((line) => line.split(' '));
    const at = (path) => mounts.findLast((fields) => fields[4] === path);
    const wants = [
      ['user', field('Uid'), Array(4).fill(uid).join(' ')],
      ['group', field('Gid'), Array(4).fill(gid).join(' ')],
      ...(this.pod.dropsAll
        ? ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].map((name) => [
            name,
            Number.parseInt(field(name), 16),
            0,
          ])
        : []),
      ...(this.pod.mayGainRights ? [] : [['NoNewPrivs', field('NoNewPrivs'), '1']]),
      ['process of its namespace', field('NSpid').split(' ').at(-1), '1'],
      ['root', at('/')[5].split(',')[0], this.pod.isReadOnly ? 'ro' : 'rw'],
      ...this.pod.mounts.map(({ path, bytes }) => [
        path,
        /size=(\d+)k/.exec(at(path)?.at(-1))?.[1],
        `${bytes / 1024}`,
      ]),
    ];
    return wants
      .filter(([, is, wanted]) => is !== wanted)
      .map(([what, is, wanted]) => `${this.name}: its ${what} is ${is} and not ${wanted}`);
  }

  /** The most memory that the program has had in its own pages, in bytes. */
  get peakBytes() {
    return Number(/^VmHWM:\s*(\d+)/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) * 1024;
  }

  /**
   * Stops it as a kubelet does: waits for the hook, sends SIGTERM, and kills what is left when the grace is over.
   * @returns milliseconds from the decision to the end, the code, and the most memory that it had
   */
  async stop() {
    const { preStopMs, graceMs } = this.pod;
    const began = performance.now();
    await pause(preStopMs);
    const { peakBytes } = this;
    process.kill(this.pid, 'SIGTERM');
    const killing = setTimeout(() => this.kill(), graceMs - preStopMs);
    const code = await this.exited;
    clearTimeout(killing);
    const { peakBytes: groupPeakBytes = null, kills = 0 } = this.group ?? {};
    return { ms: Math.round(performance.now() - began), code, peakBytes, groupPeakBytes, kills };
  }

  /** Ends it at once; while it is being started, as soon as its process is known. */
  kill() {
    this.isUnwanted = true;
    if (!this.child || this.hasEnded || this.pid === null) return;
    try {
      process.kill(this.pid, 'SIGKILL');
    } catch (error) {
      // It has ended by itself, and bwrap has not said so yet.
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

// Runs a container of a manifest with bubblewrap: its user, a read-only root, its mounts and its memory limit.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryGroup } from './memory-group.mjs';

const EVERY_ADDRESS = '0.0.0.0';
const PROBE_PERIOD_MS = 20;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Returns the prefix of a command that runs it as an unprivileged user, with a separate root that is not writable.
 * @param {{ uid: number, gid: number, isReadOnly: boolean, mounts: { path: string, bytes: number }[] }} pod from podsOf
 * @param {Record<string, string>} files visible inside, by path
 */
export function sandboxOf({ uid, gid, isReadOnly, mounts }, files, options = []) {
  return [
    'setpriv',
    '--reuid',
    `${uid}`,
    '--regid',
    `${gid}`,
    '--clear-groups',
    '--no-new-privs',
    '--bounding-set=-all',
    '--inh-caps=-all',
    '--ambient-caps=-all',
    'bwrap',
    ...options,
    '--tmpfs',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--ro-bind',
    '/sys/fs/cgroup',
    '/sys/fs/cgroup',
    ...Object.entries(files).flatMap(([path, file]) => ['--ro-bind', file, path]),
    ...mounts.flatMap(({ path, bytes }) => ['--size', `${bytes}`, '--tmpfs', path]),
    ...(isReadOnly ? ['--remount-ro', '/'] : []),
    // The program is process 1, as in a container: a signal that it does not handle would not end it.
    '--unshare-user',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-pid',
    '--as-pid-1',
    '--uid',
    `${uid}`,
    '--gid',
    `${gid}`,
    '--cap-drop',
    'ALL',
    '--clearenv',
  ];
}

/**
 * Returns the files that replace the base image: Node with its shared libraries, and host names.
 * @param {string} folder for the host names. @param {Record<string, string>} hosts addresses by name
 */
export function baseFiles(node, folder, hosts) {
  const etc = join(folder, 'etc');
  mkdirSync(etc);
  writeFileSync(join(etc, 'passwd'), 'nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n');
  writeFileSync(join(etc, 'nsswitch.conf'), 'hosts: files\n');
  writeFileSync(
    join(etc, 'hosts'),
    Object.entries(hosts)
      .map(([name, at]) => `${at} ${name}\n`)
      .join(''),
  );
  const libraries = execFileSync('ldd', [node], { encoding: 'utf8' }).match(/\/\S+/g);
  return {
    '/etc': etc,
    '/nodejs/bin/node': node,
    ...Object.fromEntries(libraries.map((library) => [library, library])),
  };
}

export class Container {
  output = '';

  /**
   * @param pod from podsOf. @param image from imageOf. @param {Record<string, string>} files of its root, by path inside
   * @param {string} address its own address on this machine. @param {string} groupName of its memory limit
   */
  constructor(pod, image, files, address, groupName) {
    Object.assign(this, { pod, image, files, address, name: pod.name });
    this.group = MemoryGroup.make(groupName, pod.memoryBytes);
  }

  /** Starts its program, or another one instead. */
  async start(program = [...this.image.entrypoint, ...(this.pod.args ?? this.image.command)]) {
    const env = { PATH: '/usr/bin', HOSTNAME: this.name, ...this.image.env, ...this.pod.env };
    // All containers share one network, in which a port on all addresses can be used only once.
    for (const name of Object.keys(env)) if (env[name] === EVERY_ADDRESS) env[name] = this.address;
    const [command, ...args] = [
      ...(this.group?.entering ?? []),
      ...sandboxOf(this.pod, this.files, ['--json-status-fd', '3', '--chdir', this.image.folder]),
      ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
      ...program,
    ];
    this.output = '';
    this.began = performance.now();
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    this.exited = once(this.child, 'close').then(([code, signal]) => signal ?? code);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (this.output += text));
    // bwrap itself only waits; it reports the process id of the program.
    let status = '';
    for await (const text of this.child.stdio[3].setEncoding('utf8').iterator({ destroyOnReturn: false }))
      if ((status += text).includes('\n')) break;
    if (status === '') throw new Error(`${this.name} could not be started: ${this.output}`);
    this.child.stdio[3].resume();
    this.pid = JSON.parse(status.split('\n')[0])['child-pid'];
    return this;
  }

  /** Runs a program to its end. @returns {Promise<number | string>} its exit code, or the signal that ended it */
  async run(program) {
    await this.start(program);
    const code = await this.exited;
    this.child = undefined;
    return code;
  }

  get hasEnded() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Returns whether a probe succeeds by the kubelet's rules: a status from 200 to 399 within its timeout. */
  async answers({ path, port, timeoutMs }) {
    const options = { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) };
    const { status } = await fetch(`http://${this.address}:${port}${path}`, options).catch(() => ({
      status: 0,
    }));
    return status >= 200 && status < 400;
  }

  /** Waits until all probes succeed. @returns milliseconds since its start. @throws Error when it ends, or takes too long */
  async becomeReady() {
    const { probes, readyWithinMs } = this.pod;
    const untilMs = this.began + readyWithinMs;
    for (const probe of probes)
      while (!(await this.answers(probe))) {
        const end = this.hasEnded ? `ended with ${await this.exited}` : 'was given up';
        if (this.hasEnded || performance.now() > untilMs)
          throw new Error(`${this.name} ${end} before its ${probe.name}:\n${this.output.slice(-2000)}`);
        await pause(PROBE_PERIOD_MS);
      }
    return Math.round(performance.now() - this.began);
  }

  /** Returns what the kernel reports about its process: its user, and whether it may write to its root. */
  rights() {
    const read = (file) => readFileSync(`/proc/${this.pid}/${file}`, 'utf8');
    const root = read('mountinfo')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast((fields) => fields[4] === '/');
    return {
      uid: Number(/^Uid:\s*(\d+)/m.exec(read('status'))[1]),
      isReadOnly: root[5].split(',').includes('ro'),
    };
  }

  /** Stops it with SIGTERM, and kills it after the grace period without the preStop time. @returns milliseconds, and exit code */
  async stop() {
    const began = performance.now();
    process.kill(this.pid, 'SIGTERM');
    const killing = setTimeout(() => this.kill(), this.pod.graceMs - this.pod.preStopMs);
    const code = await this.exited;
    clearTimeout(killing);
    return { ms: Math.round(performance.now() - began), code };
  }

  kill() {
    if (!this.hasEnded) process.kill(this.pid, 'SIGKILL');
  }

  /** Ends what is still running, and removes its group. */
  async remove() {
    if (this.child) {
      this.kill();
      await this.exited;
    }
    this.group?.remove();
  }
}

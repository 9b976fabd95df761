// The command lines of what holds a container: one for each container, and one for all of them together.

/**
 * Network, mounts and processes of their own: whatever the check has started ends with it, however that ends. A shell comes
 * first, because somebody must wait for those whose parent has ended.
 * @returns {string[]} what begins a command
 */
export const ENCLOSED = [
  // The kernel ends the command when its parent dies, also when the parent is killed and cannot end it itself.
  ...['setpriv', '--pdeathsig', 'KILL'],
  ...['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ...['sh', '-c', '"$@"; exit $?', 'sh'],
];

/**
 * @param {object} pod what of podsOf is of its rights and mounts
 * @param {{ root: string, files: Record<string, string>, name: string, folder: string, env: Record<string, string>,
 *   own?: string[] }} place the files of its image, files of its own by their path inside, the name of the host, where it
 *   begins, all its variables, and further options of bwrap
 * @returns {string[]} user, sandbox and program
 */
export function sandboxed(pod, { root, files, name, folder, env, own = [] }, program) {
  const { uid, gid, fsGroup } = pod.user;
  return [
    ...['setpriv', '--reuid', `${uid}`, '--regid', `${gid}`, '--groups', `${fsGroup ?? gid}`],
    ...(pod.mayGainRights ? [] : ['--no-new-privs']),
    ...(pod.dropsAll ? ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'] : []),
    ...['bwrap', ...own, pod.isReadOnly ? '--ro-bind' : '--bind', root, '/'],
    ...['--dev', '/dev', '--proc', '/proc', '--ro-bind', '/sys/fs/cgroup', '/sys/fs/cgroup'],
    ...Object.entries(files).flatMap(([path, file]) => ['--ro-bind', file, path]),
    ...pod.mounts.flatMap(({ path, bytes }) => ['--size', `${bytes}`, '--tmpfs', path]),
    // The first process, as in a container: a signal that it does not handle would not end it.
    ...['--unshare-user', '--unshare-ipc', '--unshare-uts', '--unshare-pid', '--as-pid-1'],
    ...['--uid', `${uid}`, '--gid', `${gid}`, ...(pod.dropsAll ? ['--cap-drop', 'ALL'] : [])],
    ...['--hostname', name, '--chdir', folder, '--clearenv'],
    ...Object.entries(env).flatMap(([key, value]) => ['--setenv', key, value]),
    ...program,
  ];
}

// A network of pods on one machine: each has an address of its own, and finds Services by their names, as in a cluster. It
// must run in a network namespace of its own (tools/test-images.mjs), with which everything made here vanishes.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { NameServer, TcpBalancer } from '@quarry/test-servers';

const BRIDGE = 'quarry';
/** Of the node: what is outside the cluster, PostgreSQL and Redis, is reached here, and names are asked for. */
const NODE = '10.244.0.1';
const DOMAIN = 'quarry.svc.cluster.local';

export class PodNetwork {
  names = null;
  /** Addresses of a Service, by its name. */
  addresses = new Map();
  outside = [];
  made = 0;

  static async make() {
    const network = new PodNetwork();
    ip('link', 'set', 'lo', 'up');
    ip('link', 'add', BRIDGE, 'type', 'bridge');
    ip('addr', 'add', `${NODE}/16`, 'dev', BRIDGE);
    ip('link', 'set', BRIDGE, 'up');
    // Names of namespaces, for ourselves only.
    mkdirSync('/run/netns', { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'netns', '/run/netns']);
    network.names = await NameServer.start(({ type, name }) => network.recordsOf(type, name), {
      host: NODE,
      port: 53,
    });
    return network;
  }

  /** Lets pods reach a server that listens on loopback here. @returns {Promise<string>} its address for them, with the port */
  async lead(port, toPort) {
    const at = { host: NODE, port };
    this.outside.push(await TcpBalancer.before([{ host: '127.0.0.1', port: toPort }], at));
    return `${NODE}:${port}`;
  }

  /** @returns {{ name: string, address: string, entering: string[] }} a pod's place in the network, and how to begin a command in it */
  addPod() {
    const nth = ++this.made;
    const [name, address] = [`pod-${nth}`, `10.244.1.${nth}`];
    ip('netns', 'add', name);
    ip('link', 'add', `quarry-${nth}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', `quarry-${nth}`, 'master', BRIDGE, 'up');
    ip('-n', name, 'link', 'set', 'lo', 'up');
    ip('-n', name, 'addr', 'add', `${address}/16`, 'dev', 'eth0');
    ip('-n', name, 'link', 'set', 'eth0', 'up');
    return { name, address, entering: ['nsenter', `--net=/run/netns/${name}`] };
  }

  /** Of a headless Service: the addresses of its pods that are ready. */
  use(service, addresses) {
    this.addresses.set(service, addresses);
  }

  /** The kubelet writes these two for each pod; with `ClusterFirst` names of the namespace are found without their domain. */
  filesFor({ name, address }) {
    return {
      hosts: `127.0.0.1\tlocalhost\n${address}\t${name}\n`,
      'resolv.conf': `nameserver ${NODE}\nsearch ${DOMAIN} svc.cluster.local cluster.local\noptions ndots:5\n`,
    };
  }

  recordsOf(type, name) {
    const [service, ...domain] = name.split('.');
    return type === 'A' && domain.join('.') === DOMAIN ? (this.addresses.get(service) ?? []) : [];
  }

  close() {
    this.names?.stop();
    for (const each of this.outside) each.close();
  }
}

function ip(...args) {
  execFileSync('ip', args);
}

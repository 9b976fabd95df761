// Containers that run together: who is ready is found by the name of its Service, as behind a headless one.
import { join } from 'node:path';
import { Container } from './container.mjs';
import { findMemoryGroups } from './memory-group.mjs';
import { PodNetwork } from './pod-network.mjs';
import { Storage } from './storage.mjs';

export class Cluster {
  /** All that were ever made. */
  containers = [];
  ready = new Set();
  services = new Map();
  images = new Map();

  /** @param folder that the users of containers may read */
  static async make(folder) {
    const cluster = new Cluster();
    cluster.folder = folder;
    cluster.groups = findMemoryGroups();
    cluster.network = await PodNetwork.make();
    cluster.storage = await Storage.start(join(folder, 'database'), cluster.network);
    return cluster;
  }

  /** @returns the folder with the files of an image */
  rootOf(target) {
    return this.images.get(target).root;
  }

  /** @param pod of podsOf. @param name of its own where a Deployment has several */
  add(pod, name = `${pod.name}-${this.containers.length + 1}`) {
    const container = new Container(pod, this, name);
    this.containers.push(container);
    return container;
  }

  /** Waits for its probes, and lets others find it. @returns what becomeReady says */
  async untilReady(container) {
    const times = await container.becomeReady();
    this.ready.add(container);
    this.publish();
    return times;
  }

  /** Those that serve no longer find it from the moment that its stop begins, as in a cluster. @returns what stop says */
  async stop(container) {
    this.ready.delete(container);
    this.publish();
    return container.stop();
  }

  publish() {
    for (const [service, selects] of this.services)
      this.network.use(
        service,
        [...this.ready].filter(({ pod }) => selects(pod)).map(({ address }) => address),
      );
  }

  async end() {
    for (const each of this.containers) each.kill();
    await Promise.all(this.containers.map(({ exited }) => exited));
    for (const { group } of this.containers) group?.remove();
    await this.storage.stop();
    this.network.close();
  }
}

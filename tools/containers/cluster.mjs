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

  storage = new Storage();

  /** @param folder that the users of containers may read. @param prefix of the names of its control groups */
  constructor(folder, prefix) {
    this.folder = folder;
    this.groups = findMemoryGroups(prefix);
  }

  /** Makes its network and starts its storage. {@link end} ends the processes of a failed attempt. */
  async begin() {
    this.network = await PodNetwork.make();
    await this.storage.start(join(this.folder, 'database'), this.network);
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

  /** Ends all of it, each part whatever has become of the others. @returns {Promise<string[]>} what could not be ended, in words */
  async end() {
    const faults = [];
    const attempt = async (what, step) => {
      try {
        await step();
      } catch (error) {
        faults.push(`${what} could not be ended: ${error.message}`);
      }
    };
    await Promise.all(
      this.containers.map((each) =>
        attempt(each.name, async () => {
          each.kill();
          await each.exited;
          each.group?.remove();
        }),
      ),
    );
    await attempt('Redis', () => this.storage.redis?.stop());
    await attempt('PostgreSQL', () => this.storage.postgres?.stop());
    await attempt('The network', () => this.network?.close());
    return faults;
  }
}

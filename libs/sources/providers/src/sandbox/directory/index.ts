export { createRandom, type Random } from './random.js';
export { OwnWorldDirectory } from './own-world.directory.js';
export { isSandboxSlug } from './slug.js';
export { SandboxDirectory } from './sandbox-directory.provider.js';

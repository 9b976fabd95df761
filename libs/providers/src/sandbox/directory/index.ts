export { createRandom, type Random } from './random.js';
export { SandboxDirectory } from './sandbox-directory.provider.js';

export { OwnWorldDirectory } from './directory/own-world.directory.js';
export { createRandom, type Random } from './directory/random.js';
export { SandboxDirectory } from './directory/sandbox-directory.provider.js';
export { SandboxActivityProvider } from './services/sandbox-activity.provider.js';
export { SandboxContactProvider } from './services/sandbox-contact.provider.js';
export { SandboxLookupProvider } from './services/sandbox-lookup.provider.js';
export { SandboxResearchProvider } from './services/sandbox-research.provider.js';
export { SandboxSearchProvider } from './services/sandbox-search.provider.js';
export { isOfSandbox } from './services/sandbox-world.js';

/** The directory to which the prompts refer. */
export { SandboxDirectory, SandboxSearchProvider } from '@quarry/sandbox';
export { CELLS, CONSTITUENTS_FILE, readConstituents, type Constituent } from './constituents.js';
export { FakePlanner } from './fake.planner.js';
export { generatePrompts } from './generated-prompts.js';
export { plannerContract } from './planner-contract.js';
export { WRITTEN_PROMPTS } from './written-prompts.js';

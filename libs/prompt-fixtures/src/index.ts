export { generatePrompts, type GeneratedPrompt } from './generated-prompts.js';
export { WRITTEN_PROMPTS, type Expected } from './written-prompts.js';

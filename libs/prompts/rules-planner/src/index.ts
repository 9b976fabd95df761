export { RulesPlanner } from './rules.planner.js';

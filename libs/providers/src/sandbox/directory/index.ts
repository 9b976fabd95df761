export { fictionalPhone } from './phone.js';
export { createRandom, type Random } from './random.js';
export {
  SANDBOX_COMPANY_COUNT,
  SANDBOX_PERSON_COUNT,
  SandboxDirectory,
} from './sandbox-directory.provider.js';

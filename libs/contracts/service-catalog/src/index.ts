export type { FastService, SlowService } from './service-definition.js';
export type { ContactInput } from './contact.js';
export {
  allServices,
  findService,
  findSlowService,
  inputFaults,
  jsonSchemasOf,
  SLOW_SERVICES,
  type AnyService,
  type AnySlowService,
} from './service-catalogue.js';
export { answerField, fieldFault, inputFields, valueAt, type InputField } from './service-fields.js';
export { formatCount } from './format-count.js';
export { chargeOf } from './own-key-charge.js';
export { LOOKUP_OUTPUTS, type LookupName } from './services/fast.services.js';
export { limitOf } from './services/search.services.js';

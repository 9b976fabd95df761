export type { FastService, Millicredits, SearchOutcome, SlowService } from './service-definition.js';
export { contactKey, contactTooThin, type ContactInput } from './contact.js';
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
export { limitOf, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX } from './services/search.services.js';

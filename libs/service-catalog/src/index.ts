export type { Millicredits, SearchOutcome, SlowService } from './service-definition.js';
export { contactKey, contactTooThin, linkedInSlug, type ContactInput } from './contact.js';
export { type EmailResult } from './services/get-email.service.js';
export { type PhoneResult } from './services/get-phone-number.service.js';
export {
  findService,
  inputFaults,
  jsonSchemasOf,
  SERVICE_NAMES,
  SERVICES,
  type AnyService,
  type ServiceName,
} from './service-catalogue.js';

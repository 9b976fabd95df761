export { FastServiceRunner } from './fast-service.runner.js';
export { FastServicesModule } from './fast-services.module.js';
export { ExclusionPort } from './ports/exclusion.port.js';

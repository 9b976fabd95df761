import { CONTROLLERS } from '../http/http-api.module.js';
import { openApiDocument } from './open-api-document.js';

/** @returns the OpenAPI document of the public API */
export function publicApi(): Record<string, unknown> {
  return openApiDocument(CONTROLLERS);
}

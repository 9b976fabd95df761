import { CONTROLLERS } from './http-api.module.js';
import { openApiDocument } from '../openapi/open-api-document.js';

/** @returns the OpenAPI document of the public API */
export function publicApi(): Record<string, unknown> {
  return openApiDocument(CONTROLLERS);
}

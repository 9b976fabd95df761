import { CONTROLLERS } from './http-api.module.js';
import { openApiDocument } from '@quarry/http';

/** @returns the OpenAPI document of the public API */
export function publicApi(): Record<string, unknown> {
  return openApiDocument(CONTROLLERS);
}

// The description of the public API, as served at /openapi.json.
import { publicApi } from '@quarry/controllers';

export const path = 'docs/openapi.json';

export async function render() {
  return `${JSON.stringify(publicApi(), null, 2)}\n`;
}

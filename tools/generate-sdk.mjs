// Generates the sources of the SDK from the description of the API, docs/openapi.json: npx nx run @quarry/sdk:generate
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as resources from './generators/sdk-resources.mjs';
import * as types from './generators/sdk-types.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8'));
for (const { path, render } of [types, resources]) writeFileSync(join(root, path), await render(document));

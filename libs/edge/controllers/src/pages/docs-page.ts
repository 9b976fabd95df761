import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { SAMPLES_PLUGIN } from './docs-samples.js';

const compressed = promisify(gzip);
const require = createRequire(import.meta.url);

/** The page may load the files beside it and call this API, nothing else. */
export const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Swagger UI draws its arrows and locks with data URLs.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Has no inline script, because the policy above forbids it. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Quarry API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="stylesheet" href="/docs/samples.css">
    <script src="/docs/swagger-ui-bundle.js" defer></script>
    <script src="/docs/start.js" defer></script>
  </head>
  <body>
    <div id="swagger-ui"></div>
    <noscript>This page needs scripts. The description itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
  </body>
</html>
`;

/** Keys stay in the memory of the page. No external validator is used. */
export const DOCS_START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  plugins: [${SAMPLES_PLUGIN}],
});
`;

/** A file of the page, compressed once. */
export interface DocsFile {
  plain: Buffer;
  gzipped: Buffer;
}

const files = new Map<string, Promise<DocsFile>>();

/** @returns a file of Swagger UI, read at its first use, as most processes never need it */
export function docsFile(name: 'swagger-ui.css' | 'swagger-ui-bundle.js'): Promise<DocsFile> {
  let file = files.get(name);
  if (!file) {
    file = readAsset(name);
    files.set(name, file);
    // A failed read is retried.
    file.catch(() => files.delete(name));
  }
  return file;
}

async function readAsset(name: string): Promise<DocsFile> {
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  const plain = await readFile(join(folder, name));
  return { plain, gzipped: await compressed(plain) };
}

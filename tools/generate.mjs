// Generates the files that are derived from code; with --check it only compares, and names those that are out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';

const root = await prepare();
// Imported after the preparation: the generators read the built packages, and the formatter may have just been installed.
await import('reflect-metadata');
const { format, resolveConfig } = await import('prettier');
const generators = await Promise.all(
  [
    'env-example',
    'error-page',
    'queue-page',
    'open-api',
    'environment-page',
    'compose-settings',
    'connections-part',
    'mcp-tools',
    'provider-page',
    'dashboard',
  ].map((name) => import(`./generators/${name}.mjs`)),
);
const several = await Promise.all(
  ['directory-fields', 'kubernetes', 'statement-types'].map((name) => import(`./generators/${name}.mjs`)),
);
const isCheck = process.argv.includes('--check');
const stale = [];
// One after the other: generators that write parts of the same file get the output of the previous one.
const texts = new Map();
for (const { path, render } of generators) texts.set(path, await render(root, texts.get(path)));
for (const { renderAll } of several)
  for (const { path, text } of await renderAll(root)) texts.set(path, text);
for (const [path, raw] of texts) {
  const file = join(root, path);
  const text = await formatted(raw, path);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  stale.push(path);
  if (!isCheck) writeFileSync(file, text);
}
if (stale.length === 0) console.log(`${texts.size} generated files are up to date.`);
else if (isCheck) {
  console.error(`Out of date: ${stale.join(', ')}. Run "npm run generate" and commit what it writes.`);
  process.exitCode = 1;
} else console.log(`Written: ${stale.join(', ')}`);

async function formatted(text, path) {
  if (!/\.(md|json|ts|yaml)$/.test(path)) return text;
  return format(text, { ...(await resolveConfig(join(root, path))), filepath: path });
}

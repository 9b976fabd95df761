// The environment table in README.md: what npm start understands.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environments, variablesOf } from './env-example.mjs';
import { table } from './error-page.mjs';

export const path = 'README.md';

const PART = /(<!-- generated: environment -->\n)[^]*?(<!-- \/generated -->)/;

export async function render(root, before) {
  const { type } = (await environments(root)).find(({ app }) => app === 'local');
  const rows = variablesOf(type).map(({ name, doc }) => [
    `\`${name}\``,
    doc.default === undefined ? '' : `\`${doc.default}\``,
    doc.description,
  ]);
  const readme = before ?? readFileSync(join(root, path), 'utf8');
  if (!PART.test(readme)) throw new Error('README.md has lost the marks of its environment table.');
  return readme.replace(
    PART,
    (_, open, close) => `${open}\n${table(['Variable', 'Default', 'Meaning'], rows)}\n\n${close}`,
  );
}

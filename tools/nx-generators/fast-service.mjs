import { formatFiles } from '@nx/devkit';
import { insertBefore, writeNew } from './edit.mjs';
import { camelOf, kebabOf, requireName } from './names.mjs';

const SERVICES = 'libs/contracts/service-catalog/src/services';
const CATALOGUE = `${SERVICES}/fast.services.ts`;
const SANDBOX = 'libs/sources/sandbox/src/services/sandbox-lookup.provider.ts';

/** Generates a fast service that takes a company's domain and returns a list, and its answer in the sandbox. */
export default async function fastService(tree, { name, category = 'company', credits = 0.5 }) {
  requireName(name);
  const own = camelOf(name);
  const words = kebabOf(name).split('-');
  // "awards" for findAwards: the words that a prompt would use.
  const found = words.slice(1).join(' ') || words[0];
  const price = Math.round(credits * 1000);
  writeNew(
    tree,
    `${SERVICES}/${kebabOf(name)}.lookup.ts`,
    `import { z } from 'zod';
import { domain, limit, list, defineLookup } from './lookup.js';

export const ${own} = defineLookup({
  title: '${own}',
  description: 'Say in one sentence what goes in and what comes out.',
  category: '${category}',
  input: { ...domain, limit },
  output: list({ title: z.string() }),
  example: { domain: 'ormont.example' },
  cellField: 'items.title',
  // Words of a prompt that ask for what it finds.
  promptPattern: /\\b${found}\\b/i,
  hit: ${price},
  miss: ${price},
});
`,
  );
  insertBefore(
    tree,
    CATALOGUE,
    'import ',
    /import \{[^}]*\} from '\.\/lookup\.js'/,
    `import { ${own} } from './${kebabOf(name)}.lookup.js';\n`,
  );
  insertBefore(tree, CATALOGUE, 'const LOOKUPS = {', /\} as const/, `  ${own},\n`);
  insertBefore(
    tree,
    SANDBOX,
    'private readonly answers',
    /^ {2}\};/m,
    `    ${own}: ({ input, company }) =>
      items(company ? [{ title: \`${found} of \${company.name}\` }].slice(0, limitOf(input)) : []),\n`,
  );
  await formatFiles(tree);
}

import { formatFiles } from '@nx/devkit';
import { insertBefore, writeNew } from './edit.mjs';
import { camelOf, kebabOf, requireName } from './names.mjs';
import { addQueue } from './queue.mjs';

const FOLDER = 'libs/contracts/service-catalog/src';

/** Generates a slow service that takes a question and returns a list of findings, its queue, and its catalogue entry. */
export default async function service(tree, { name, category }) {
  requireName(name);
  const own = camelOf(name);
  const file = `${kebabOf(name)}.service`;
  const queue = addQueue(tree, `service-${name}`);
  writeNew(
    tree,
    `${FOLDER}/services/${file}.ts`,
    `import { z } from 'zod';
import type { SlowService } from '../service-definition.js';

const input = z.strictObject({
  query: z.string().trim().min(1).max(1000).describe('What to look for'),
});
type Input = z.infer<typeof input>;

/** Thousandths of a credit, for every finished search. */
const PRICE = 1000;

export const ${own}: SlowService<Input> = {
  name: '${own}',
  mode: 'slow',
  title: '${own}',
  description: 'Say in one sentence what goes in and what comes out.',
  category: '${category}',
  queue: '${queue}',
  input,
  output: z.strictObject({ found: z.boolean(), items: z.array(z.string()), provider: z.string() }),
  examples: [{ query: 'analytical.example' }],
  cellField: 'items',
  // Words of a prompt that ask for what it finds.
  promptPattern: /\\b${kebabOf(name).replaceAll('-', ' ')}\\b/i,
  chargeRule: 'One credit for every finished search.',
  reuseSeconds: 0,
  price: { unit: 'call', hit: PRICE, miss: PRICE, max: PRICE },
  worstCase: () => PRICE,
  charge: () => PRICE,
  tooThin: () => null,
  reuseKey: () => null,
  deadlineMs: 120_000,
};
`,
  );
  const catalogue = `${FOLDER}/service-catalogue.ts`;
  insertBefore(tree, catalogue, 'import ', /\n\/\*\* /, `import { ${own} } from './services/${file}.js';\n`);
  insertBefore(tree, catalogue, 'export const SLOW_SERVICES = {', /\} as const/, `  ${own},\n`);
  await formatFiles(tree);
}

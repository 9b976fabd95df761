import { formatFiles } from '@nx/devkit';
import { insertBefore, writeNew } from './edit.mjs';
import { camelOf, kebabOf, requireName } from './names.mjs';

const FOLDER = 'libs/sources/vendors/src';

/** Generates the definition of a vendor for one service, and adds it at the end of the vendors' default order. */
export default async function provider(tree, { name, service }) {
  requireName(name);
  requireName(service);
  const [file, constant, answered] = [kebabOf(name), camelOf(name), camelOf(service)];
  const variable = `${file.toUpperCase().replaceAll('-', '_')}_KEY`;
  writeNew(
    tree,
    `${FOLDER}/${file}.vendor.ts`,
    `import { z } from 'zod';
import { answers, defineVendor } from './vendor.js';

export const ${constant} = defineVendor({
  id: '${file}',
  title: '${name}',
  base: 'https://api.${file}.example',
  docs: 'https://${file}.example/docs',
  key: { env: '${variable}', header: 'X-API-KEY' },
  limits: { perSecond: 10, concurrency: 10 },
  services: {
    ${answered}: answers('${answered}', {
      needs: 'what an input must name',
      price: 'what a find costs there',
      // Null where the input does not name what the vendor needs.
      request: (input) => ({ method: 'GET', path: '/search', query: { q: JSON.stringify(input) } }),
      // What is read of the answer, and no more.
      answer: z.object({ result: z.string().nullable() }),
      // Null where nothing was found; else the fields of the service's output, without found and provider.
      map: () => null,
      cost: ({ result }) => ({ unit: '${file.replaceAll('-', '_')}_credit', amount: result === null ? 0 : 1 }),
    }),
  },
  // Statuses that mean something else here than in vendor-meaning.ts.
  meaning: { 404: 'miss' },
});
`,
  );
  insertBefore(
    tree,
    `${FOLDER}/vendors.ts`,
    'import ',
    /^/,
    `import { ${constant} } from './${file}.vendor.js';\n`,
  );
  insertBefore(tree, `${FOLDER}/vendors.ts`, 'export const VENDORS', /\];/, `  ${constant},\n`);
  await formatFiles(tree);
}

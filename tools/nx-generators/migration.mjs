import { formatFiles } from '@nx/devkit';
import { writeNew } from './edit.mjs';
import { kebabOf, pascalOf, requireName } from './names.mjs';

const FOLDER = 'libs/kernel/postgres/src/migrations';

/** Generates a migration after the last one, and adds it to the list of migrations. */
export default async function migration(tree, { name }) {
  requireName(name);
  const numbers = tree
    .children(FOLDER)
    .map((file) => Number(/^(\d{13})-/.exec(file)?.[1]))
    .filter(Number.isFinite);
  const number = Math.max(...numbers) + 1;
  const className = `${pascalOf(name)}${number}`;
  const file = `${number}-${kebabOf(name)}.migration`;
  writeNew(
    tree,
    `${FOLDER}/${file}.ts`,
    `import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Say what changes and why. The version that still runs must work on the new schema. */
export class ${className} implements MigrationInterface {
  readonly name = '${className}';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(\`
    \`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(\`
    \`);
  }
}
`,
  );
  const list = `${FOLDER}/all.ts`;
  tree.write(list, `${tree.read(list, 'utf8')}export { ${className} } from './${file}.js';\n`);
  await formatFiles(tree);
}

import { formatFiles } from '@nx/devkit';
import { insertBefore } from './edit.mjs';
import { kebabOf, requireName } from './names.mjs';

const CATALOGUE = 'libs/contracts/dto/src/queues/queue-catalogue.ts';

/** Adds a queue of lines to the catalogue; jobs-workers consume it without further code. */
export default async function queue(tree, { name }) {
  addQueue(tree, name);
  await formatFiles(tree);
}

/** @returns the queue's name, as used in messages and metrics */
export function addQueue(tree, name) {
  requireName(name);
  const queueName = kebabOf(name);
  if (tree.read(CATALOGUE, 'utf8').includes(`'${queueName}':`))
    throw new Error(`There is a queue "${queueName}" already.`);
  insertBefore(tree, CATALOGUE, 'export const QUEUES = {', /\} as const/, `  '${queueName}': lines,\n`);
  return queueName;
}

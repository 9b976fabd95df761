// The environment of all apps, from their environment classes: each variable once, grouped by purpose.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EnvError, EnvVar, envVarsOf, loadEnv } from '@quarry/app';

/** Apps in reading order. */
const APPS = ['local', 'fleet', 'admin', 'gateway', 'tables', 'runs-agent', 'jobs-worker'];

/**
 * Reads the environment classes of all apps.
 * @param root folder of the repository, built
 * @returns groups with a title and variables; each has its name, whether it is a secret, and the apps that read it with default
 * and meaning, those with equal ones together
 * @throws Error for an app that is not listed here, or a variable in two groups
 */
export async function environmentGroups(root) {
  const variables = new Map();
  for (const { app, type } of await environments(root))
    for (const { name, doc, isRequired } of variablesOf(type)) {
      const { group, description, default: usual = '', secret: isSecret = false } = doc;
      const variable = variables.get(name) ?? { name, group, isSecret, meanings: [] };
      if (variable.group !== group)
        throw new Error(`${name} is in two groups: ${variable.group} and ${group}.`);
      const alike = variable.meanings.find(
        (each) => each.description === description && each.usual === usual && each.isRequired === isRequired,
      );
      if (alike) alike.apps.push(app);
      else variable.meanings.push({ apps: [app], description, usual, isRequired });
      variables.set(name, variable);
    }
  const groups = Object.entries(EnvVar.groups).map(([key, title]) => ({
    title,
    variables: [...variables.values()].filter(({ group }) => group === key),
  }));
  return groups;
}

async function environments(root) {
  const found = readdirSync(join(root, 'apps')).filter((app) => envFileOf(root, app) !== undefined);
  const unknown = found.filter((app) => !APPS.includes(app));
  if (unknown.length > 0) throw new Error(`Name ${unknown} in APPS of tools/generators/environment.mjs.`);
  return Promise.all(
    APPS.filter((app) => found.includes(app)).map(async (app) => {
      const classes = await import(pathToFileURL(join(root, 'apps', app, 'dist', envFileOf(root, app))).href);
      return { app, type: Object.values(classes)[0] };
    }),
  );
}

function envFileOf(root, app) {
  const dist = join(root, 'apps', app, 'dist');
  // The suites are not built.
  return existsSync(dist) ? readdirSync(dist).find((file) => file.endsWith('.env.js')) : undefined;
}

function variablesOf(type) {
  const required = new Set(faultsWithoutAny(type).map((fault) => fault.split(':')[0]));
  return [...envVarsOf(type)].map(([name, doc]) => ({ name, doc, isRequired: required.has(name) }));
}

function faultsWithoutAny(type) {
  try {
    loadEnv(type, {});
    return [];
  } catch (error) {
    if (error instanceof EnvError) return error.faults;
    throw error;
  }
}

// Jest evaluates every module anew for each spec, packages too: a third of the CPU of a run. Here a worker lets Node load a
// package once, and each spec gets that one. Our own modules are new in each spec. ADR 74 has the measurements.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import Runtime from 'jest-runtime';

const require = createRequire(import.meta.url);
/** Modules of packages by their file. */
const loaded = new Map();

export default class PackagesOnceRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    this.registries.esModuleRegistry = new RegistryOfModules();
  }
}

/** Where Jest looks for a module before it makes one: the modules of the spec, and those of packages, which all share. */
class RegistryOfModules extends Map {
  get(key) {
    return super.get(key) ?? (key.includes('/node_modules/') ? packageModule(key) : undefined);
  }
}

/**
 * @param {string} key file, or its URL, as Jest's registry has it
 * @returns the module, evaluated; `undefined` for a file that is no script
 */
function packageModule(key) {
  const file = key.startsWith('file:') ? fileURLToPath(key) : key;
  if (!/\.[cm]?js$/.test(file)) return undefined;
  if (!loaded.has(file)) loaded.set(file, moduleOf(file, require(file)));
  return loaded.get(file);
}

/** A CommonJS module is its own default, as Node has it; a namespace has its default already. */
function moduleOf(file, exported) {
  const isNamespace = exported?.[Symbol.toStringTag] === 'Module';
  const members = isNamespace ? exported : { ...exported, default: exported };
  const module = new vm.SyntheticModule(
    Object.keys(members),
    function () {
      for (const name of Object.keys(members)) this.setExport(name, members[name]);
    },
    { identifier: file },
  );
  module.evaluate();
  return module;
}

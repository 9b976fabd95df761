// Jest evaluates every module for each spec, including packages: a third of the CPU of a run. Here a worker lets Node load a
// package once, and all specs share it. Our own modules are loaded anew in each spec. ADR 74 has the measurements.
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import Runtime from 'jest-runtime';

const require = createRequire(import.meta.url);
/** Modules of packages by file name. */
const loaded = new Map();

export default class PackagesOnceRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    this.registries.esModuleRegistry = new RegistryOfModules();
  }
}

/** Registry in which Jest looks up a module before creating it: modules of the spec, and shared modules of packages. */
class RegistryOfModules extends Map {
  get(key) {
    return super.get(key) ?? (key.includes('/node_modules/') ? packageModule(key) : undefined);
  }
}

/**
 * @param {string} key file name or URL, as in Jest's registry
 * @returns the evaluated module; `undefined` for a file that is not a script
 */
function packageModule(key) {
  const file = key.startsWith('file:') ? fileURLToPath(key) : key;
  if (!/\.[cm]?js$/.test(file)) return undefined;
  if (!loaded.has(file)) loaded.set(file, moduleOf(file, require(file)));
  return loaded.get(file);
}

/** Creates a module. A CommonJS module is its own default export, as in Node; a namespace already has one. */
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

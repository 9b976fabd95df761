// The environment of every spec: it runs in the context of its worker, while Jest's own environment creates a new one for each
// spec. So packages that a worker has loaded once (packages-once.runtime.mjs) belong to the same realm as the spec, and
// `instanceof` and toStrictEqual work between them. Our own modules are loaded anew in each spec. ADR 74 has the measurements.
import vm from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Placeholder for the worker's own context when Jest expects a created one: `vm` has no object for it. */
const OWN_CONTEXT = {};
const { compileFunction } = vm;
/** Scripts by file name. V8 keeps the compiled functions with them. */
const scripts = new Map();

for (const name of ['SourceTextModule', 'SyntheticModule']) {
  vm[name] = class extends vm[name] {
    constructor(...args) {
      const options = args.pop();
      super(...args, options?.context === OWN_CONTEXT ? { ...options, context: undefined } : options);
    }
  };
}

// Jest compiles its own CommonJS modules for each spec, which took a fifth of the CPU of a run; here a worker compiles each
// once. The modules that a script creates are still new in each spec.
vm.compileFunction = (code, parameters, options) => {
  const { filename, importModuleDynamically, parsingContext } = options ?? {};
  if (parsingContext !== OWN_CONTEXT) return compileFunction(code, parameters, options);
  let script = scripts.get(filename);
  if (script?.code !== code) {
    script = compileScript(code, parameters, filename);
    scripts.set(filename, script);
  }
  // A worker runs one spec at a time: later dynamic imports belong to that spec.
  script.importModuleDynamically = importModuleDynamically;
  return script.compiled.runInThisContext();
};

function compileScript(code, parameters, filename) {
  const script = { code };
  script.compiled = new vm.Script(`(function (${parameters}) {${code}\n})`, {
    filename,
    importModuleDynamically: (...args) => script.importModuleDynamically(...args),
  });
  return script;
}

export default class OneContextEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #context = OWN_CONTEXT;
  #conditions;
  #variables = { ...process.env };
  #globals = Object.getOwnPropertyDescriptors(globalThis);
  #process = Object.getOwnPropertyDescriptors(process);
  #listeners = listenersOfProcess();

  constructor({ projectConfig }) {
    // Event handlers of the previous spec.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    this.#conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  /** Reverts the changes of the spec to its process: variables, globals, methods of `process` and its listeners. */
  async teardown() {
    this.fakeTimersModern.dispose();
    this.#context = null;
    restoreProperties(globalThis, this.#globals);
    restoreProperties(process, this.#process);
    for (const [event, listener] of listenersOfProcess())
      if (!this.#listeners.some(([name, known]) => name === event && known === listener))
        process.off(event, listener);
    for (const name of Object.keys(process.env)) if (!(name in this.#variables)) delete process.env[name];
    Object.assign(process.env, this.#variables);
  }

  exportConditions() {
    return this.#conditions;
  }

  getVmContext() {
    return this.#context;
  }
}

function listenersOfProcess() {
  return process
    .eventNames()
    .flatMap((event) => process.rawListeners(event).map((listener) => [event, listener]));
}

/** Restores named properties. Symbols stay: packages use them for shared objects, such as the dispatcher of undici. */
function restoreProperties(target, before) {
  for (const name of Object.getOwnPropertyNames(target)) if (!(name in before)) delete target[name];
  for (const name of Object.getOwnPropertyNames(before)) {
    const now = Object.getOwnPropertyDescriptor(target, name);
    if (before[name].get !== now?.get || before[name].value !== now?.value)
      Object.defineProperty(target, name, before[name]);
  }
}

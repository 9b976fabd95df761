// The environment of every spec: it runs in the context of its worker, where Jest's own makes a new one for each. So the
// packages that a worker has loaded once (packages-once.runtime.mjs) are of the same realm as the spec, and `instanceof`
// and toStrictEqual hold between them. Our own modules are new in each spec. ADR 74 has the measurements.
import vm from 'node:vm';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/** Stands for the worker's own context where Jest asks for one that was made: `vm` has no object for it. */
const OWN_CONTEXT = {};
const { compileFunction } = vm;
/** Scripts by their file. V8 keeps with them what it has compiled of their functions. */
const scripts = new Map();

for (const name of ['SourceTextModule', 'SyntheticModule']) {
  vm[name] = class extends vm[name] {
    constructor(...args) {
      const options = args.pop();
      super(...args, options?.context === OWN_CONTEXT ? { ...options, context: undefined } : options);
    }
  };
}

// Jest compiles its own CommonJS modules anew for each spec, which took a fifth of the CPU of a run; here a worker compiles
// each once. The modules that a script makes are new in each spec as before.
vm.compileFunction = (code, parameters, options) => {
  const { filename, importModuleDynamically, parsingContext } = options ?? {};
  if (parsingContext !== OWN_CONTEXT) return compileFunction(code, parameters, options);
  let script = scripts.get(filename);
  if (script?.code !== code) {
    script = compileScript(code, parameters, filename);
    scripts.set(filename, script);
  }
  // A worker runs one spec at a time: what a module imports later belongs to that one.
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
    // The handlers of events of the spec before this one.
    delete globalThis[Symbol.for('EVENT_HANDLERS')];
    this.#conditions = projectConfig.testEnvironmentOptions.customExportConditions;
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  /** Takes back what the spec has changed of its process: variables, globals, methods of `process` and its listeners. */
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

/** Symbols stay: by them packages find what they share, such as the dispatcher of undici. */
function restoreProperties(target, before) {
  for (const name of Object.getOwnPropertyNames(target)) if (!(name in before)) delete target[name];
  for (const name of Object.getOwnPropertyNames(before)) {
    const now = Object.getOwnPropertyDescriptor(target, name);
    if (before[name].get !== now?.get || before[name].value !== now?.value)
      Object.defineProperty(target, name, before[name]);
  }
}

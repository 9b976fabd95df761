// Loaded before Jest's own process and its workers. Jest compiles every CommonJS module anew for each spec, which took a fifth of
// the CPU of a run; here a worker compiles each once. A script is bound to no context, so the modules that it makes are new
// in each spec as before.
import vm from 'node:vm';

const { compileFunction } = vm;
/** Scripts by their file. V8 keeps with them what it has compiled of their functions. */
const scripts = new Map();

vm.compileFunction = (code, parameters, options) => {
  const { filename, importModuleDynamically, parsingContext } = options ?? {};
  // Jest's own calls have a context; others are left to Node.
  if (!filename || !parsingContext) return compileFunction(code, parameters, options);
  let script = scripts.get(filename);
  if (script?.code !== code) {
    script = compileScript(code, parameters, filename);
    scripts.set(filename, script);
  }
  // A worker runs one spec at a time: what a module imports later belongs to that one.
  script.importModuleDynamically = importModuleDynamically;
  return script.compiled.runInContext(parsingContext);
};

function compileScript(code, parameters, filename) {
  const script = { code };
  script.compiled = new vm.Script(`(function (${parameters}) {${code}\n})`, {
    filename,
    importModuleDynamically: (...args) => script.importModuleDynamically(...args),
  });
  return script;
}

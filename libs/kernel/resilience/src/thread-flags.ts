/**
 * Node flags for threads that Piscina starts. Piscina first loads the module of a thread by `require`, and Node 24.21
 * crashes the whole process (an assertion in CreateRequiredModuleFacade) if the thread is terminated at the moment when
 * that module has been loaded. Without `require` of ECMAScript modules it is loaded by `import`, which does not crash.
 */
export const THREAD_FLAGS: readonly string[] = ['--no-experimental-require-module'];

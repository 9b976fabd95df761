/**
 * Flags of Node for a thread that Piscina starts. It loads the module of a thread by `require` first, and Node 24.21 ends the whole
 * process (an assertion in CreateRequiredModuleFacade) where the thread is ended at the moment at which that module has been loaded.
 * Without `require` of ECMAScript modules it is loaded by `import`, which is not so.
 */
export const THREAD_FLAGS: readonly string[] = ['--no-experimental-require-module'];

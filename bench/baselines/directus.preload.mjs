// Replaces the sandbox of Directus' extensions with Node's own module: it is a C++ package that takes minutes to compile where
// it has no binary for this Node, and no extension runs here.
import { registerHooks } from 'node:module';

registerHooks({ resolve: (name, context, next) => next(name === 'isolated-vm' ? 'node:vm' : name, context) });

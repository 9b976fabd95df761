// Puts Node's own module in the place of the sandbox of Directus' extensions, a package in C++ that is compiled for minutes where
// it has no binary for this Node: no extension is run here.
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (name, context, next) => next(name === 'isolated-vm' ? 'node:vm' : name, context),
});

// Prints how many bytes `import { Quarry } from '@quarry/sdk'` adds to an application, minified and compressed with Brotli.
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const input = fileURLToPath(new URL('../libs/contracts/sdk/src/quarry.ts', import.meta.url));
const bundle = await rolldown({ input, platform: 'neutral' });
const { output } = await bundle.generate({ format: 'esm', minify: true });
await bundle.close();
// As a string: Nx enables colours, which numbers would be printed in.
console.log(String(brotliCompressSync(output[0].code).length));

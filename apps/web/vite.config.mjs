import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const COMPRESSED = /\.(js|css|html|svg)$/;

/** Writes each text file a second and third time, compressed, so that the gateway compresses nothing while it serves. */
function compressOutput() {
  let folder = '';
  return {
    name: 'compress-output',
    apply: 'build',
    configResolved({ root, build }) {
      folder = join(root, build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(folder, { recursive: true })) {
        if (!COMPRESSED.test(name)) continue;
        const text = readFileSync(join(folder, name));
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text));
        writeFileSync(join(folder, `${name}.gz`), gzipSync(text, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  base: '/app/',
  plugins: [react(), compressOutput()],
  build: {
    target: 'es2023',
    // The content policy of the gateway lets no data address in.
    assetsInlineLimit: 0,
    // One file at the start: a page's own styles that failed to load while no server answered would never be asked for again.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // `npx vite apps/web` beside a product on its usual port.
  server: { proxy: { '/app/api': 'http://127.0.0.1:3000' } },
});

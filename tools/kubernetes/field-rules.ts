import { join } from 'node:path';
import ts from 'typescript';
import type { Manifest } from './manifest-kit.js';

/** Returns the package with the types of a kind. The models accept unknown fields, but the compiler does not. */
const packageOf = (apiVersion: string): string => {
  if (apiVersion.startsWith('keda.sh/')) return '@kubernetes-models/keda';
  if (apiVersion.startsWith('monitoring.')) return '@kubernetes-models/prometheus-operator';
  return 'kubernetes-models';
};

/** @returns compiler errors of manifests that are written as literals of their types */
export function faultsOfFields(all: Manifest[]): string[] {
  const file = join(import.meta.dirname, 'manifests.virtual.ts');
  const types = new Map(all.map(({ apiVersion, kind }) => [kind, apiVersion]));
  const text = [
    ...[...types].map(
      ([kind, version]) => `import type { I${kind} } from '${packageOf(version)}/${version}/${kind}';`,
    ),
    ...all.map((each, i) => `export const _${i}: I${each.kind} = ${JSON.stringify(each)};`),
  ].join('\n');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    noEmit: true,
    noLib: false,
    skipLibCheck: true,
    strict: true,
    target: ts.ScriptTarget.ES2022,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const source = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2022) : source(name, ...rest);
  const exists = host.fileExists.bind(host);
  host.fileExists = (name) => name === file || exists(name);
  const program = ts.createProgram([file], options, host);
  const own = program.getSourceFile(file)!;
  return [...program.getSyntacticDiagnostics(own), ...program.getSemanticDiagnostics(own)].map((each) =>
    ts.flattenDiagnosticMessageText(each.messageText, ' '),
  );
}

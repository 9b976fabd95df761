// Guards, each with its declaration and the change that removes it.
import { basename } from 'node:path';
import ts from 'typescript';

/** Removes the predicates of the tenant from a statement. */
export const TENANT = { what: 'the tenant', from: /\$\{ofTenant\([^)]*\)\}/g, to: '$1::text[] IS NOT NULL' };
/** Removes the token of a lease from a statement. */
export const TOKEN = {
  what: 'the token of a lease',
  from: /(?:\w+\.)?(?:lease|read)_token = (\$\d)/g,
  to: '$1::text IS NOT NULL',
};
const SHOWN_CHARACTERS = 60;
const textEdit = (from, to = '') => ({
  what: from.replace(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS),
  from,
  to,
});

/**
 * Returns the guards of one file.
 * @param {string} library folder of the library. @param {string} file path below its `src`
 * @param {string} spec path below the `src` of the same library, or the whole path of a spec of another one
 * @param {Array} rows for each guard its declaration (`Class.method`, a function, a constant; in an SQL file a function), the
 *   tests that fail without it (a pattern of Jest's -t), and TENANT, TOKEN, or its text with the replacement
 */
export const guards = (library, file, spec, rows) =>
  rows.map(([declaration, tests, edit, to]) => {
    const { what, ...replace } = typeof edit === 'string' ? textEdit(edit, to) : edit;
    return {
      name: `${basename(file)} ${declaration} without ${what}`,
      file: `${library}/src/${file}`,
      function: declaration,
      replace,
      spec: /^(libs|apps)\//.test(spec) ? spec : `${library}/src/${spec}`,
      tests,
    };
  });

/**
 * Returns the text of a file without a guard.
 * @throws Error unless the file has exactly one such declaration, and the declaration contains the text exactly once
 */
export function without({ file, function: declaration, replace: { from, to } }, text) {
  const { start, end } = file.endsWith('.sql') ? spanOfSql(text, declaration) : spanOf(text, declaration);
  const scope = text.slice(start, end);
  const times = scope.split(from).length - 1;
  if (typeof from === 'string' ? times !== 1 : times === 0)
    throw new Error(`${declaration} of ${file} has this ${times} times, not once: ${from}`);
  // A function, because "$" in a replacement text would have a special meaning.
  const own = scope.replace(from, typeof from === 'string' ? () => to : to);
  return text.slice(0, start) + own + text.slice(end);
}

function spanOfSql(text, name) {
  if (!new RegExp(`FUNCTION \\w+\\.${name}\\(`).test(text)) throw new Error(`There is no function ${name}`);
  return { start: 0, end: text.length };
}

function spanOf(text, path) {
  const source = ts.createSourceFile('guarded.ts', text, ts.ScriptTarget.Latest, true);
  const node = path.split('.').reduce((scope, name) => {
    const [found, ...others] = declarationsIn(scope, name);
    if (!found || others.length > 0) throw new Error(`There is not one ${path}`);
    return found;
  }, source);
  return { start: node.getStart(source), end: node.end };
}

/** Returns the declarations of a name in a file or a class, without those in function bodies. */
function declarationsIn(scope, name) {
  const found = [];
  const visit = (node) => {
    const own = ts.isConstructorDeclaration(node) ? 'constructor' : node.name?.text;
    if (own === name) found.push(node);
    else if (!ts.isFunctionLike(node) && !ts.isClassDeclaration(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(scope, visit);
  return found;
}

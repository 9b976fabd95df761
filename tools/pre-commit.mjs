// Checks the files of a commit as they are staged, whatever else the work tree contains; .githooks/pre-commit runs it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const SIZE_MAX = 1024 * 1024;
const PICTURE = /^docs\/pictures\/[^/]+\.png$/;
const LINTED = /\.(tsx?|mjs)$|(^|\/)package\.json$/;

const faults = [];
const staged = stagedFiles();
for (const { file, isBinary } of staged) {
  const size = Number(git('cat-file', '-s', `:${file}`));
  if (size > SIZE_MAX)
    faults.push(
      `${file} has ${(size / SIZE_MAX).toFixed(1)} MB, and 1 MB is the most. Leave it out: ${unstage([file])}`,
    );
  else if (isBinary && !PICTURE.test(file))
    faults.push(`${file} is binary; only PNG in docs/pictures may be. Leave it out: ${unstage([file])}`);
}
if (faults.length === 0) {
  const texts = staged
    .filter(({ isBinary }) => !isBinary)
    .map(({ file }) => ({ file, text: git('cat-file', 'blob', `:${file}`) }));
  await checkFormat(texts);
  await checkRules(texts.filter(({ file }) => LINTED.test(file) && existsSync(file)));
}
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

/** @returns the files that the commit adds or changes */
function stagedFiles() {
  const rows = git('diff', '--cached', '--numstat', '-z', '--no-renames', '--diff-filter=ACM').split('\0');
  return rows.slice(0, -1).map((row) => {
    const [added, , file] = row.split('\t');
    return { file, isBinary: added === '-' };
  });
}

async function checkFormat(texts) {
  const prettier = await import('prettier');
  const wrong = [];
  for (const { file, text } of texts) {
    const { ignored, inferredParser } = await prettier.getFileInfo(file, { ignorePath: '.prettierignore' });
    if (ignored || inferredParser === null) continue;
    const options = await prettier.resolveConfig(file, { editorconfig: true });
    try {
      if (!(await prettier.check(text, { ...options, filepath: file }))) wrong.push(file);
    } catch (error) {
      faults.push(`${file}: ${error.message}`);
    }
  }
  if (wrong.length > 0)
    faults.push(`Not formatted: ${wrong.join(', ')}. Mend it: npx prettier --write ${mend(wrong)}`);
}

async function checkRules(texts) {
  if (texts.length === 0) return;
  // A daemon would outlive the commit.
  process.env.NX_DAEMON = 'false';
  const { ESLint } = await import('eslint');
  const eslint = new ESLint();
  const results = [];
  for (const { file, text } of texts)
    results.push(...(await eslint.lintText(text, { filePath: file, warnIgnored: false })));
  const wrong = results.filter(({ messages }) => messages.length > 0);
  if (wrong.length === 0) return;
  faults.push(await (await eslint.loadFormatter('stylish')).format(wrong));
  const files = texts
    .map(({ file }) => file)
    .filter((file) => wrong.some(({ filePath }) => filePath.endsWith(`/${file}`)));
  faults.push(`What ESLint can mend by itself: npx eslint --fix ${mend(files)}`);
}

function mend(files) {
  const names = quoted(files);
  return `${names} && git add ${names}`;
}

function unstage(files) {
  return `git rm --cached ${quoted(files)}`;
}

function quoted(files) {
  return files
    .map((file) => (/^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 64 * SIZE_MAX });
}

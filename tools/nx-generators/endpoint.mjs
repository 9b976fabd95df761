import { formatFiles } from '@nx/devkit';
import { filesBelow, insertAfter } from './edit.mjs';
import { camelOf, kebabOf, pascalOf, requireName } from './names.mjs';

const EDGE = 'libs/edge/controllers/src/api';
const CALLS = 'libs/contracts/dto/src/rpc';

/**
 * Generates a read next to an existing read of the same resource: the route, the call between services, and the handler. The
 * first version returns the same as the existing read.
 * @throws Error when no controller has such a read
 */
export default async function endpoint(tree, { name, route }) {
  requireName(name);
  const path = route.replace(/^\/|\/$/g, '');
  const own = { name: camelOf(name), last: path.split('/').at(-1) };
  const beside = readBeside(tree, path);
  addRoute(tree, own, beside);
  addCall(tree, own, beside);
  addHandler(tree, own, beside);
  await formatFiles(tree);
}

/** Finds the controller of a path and its route that reads a resource by id. */
function readBeside(tree, path) {
  for (const file of filesBelow(tree, EDGE, '.controller.ts')) {
    const source = tree.read(file, 'utf8');
    const prefix = /@Controller\('([^']+)'\)/.exec(source)?.[1];
    if (!prefix || !path.startsWith(`${prefix}/:id/`)) continue;
    const at = source.indexOf("@Get(':id')");
    const documented = source.slice(source.lastIndexOf('@Documented({', at), at);
    const rpcCall = /^[^]*?this\.rpc\.call\(ctx, (\w+_RPC)\.(\w+), (\{[^}]*\})\)/.exec(source.slice(at));
    const [, body] = /body: (\w+) \}/.exec(documented) ?? [];
    const [, sdk] = /sdk: '(\w+)\.get'/.exec(documented) ?? [];
    if (!rpcCall || !body || !sdk) break;
    const [, api, call, request] = rpcCall;
    const [errors = ''] = /\n {4}errors: .*,/.exec(documented) ?? [];
    const [parameters = ''] = /\n {4}path: .*,/.exec(documented) ?? [];
    const [id] = /@IdParam\([^)]*\) \w+: string/.exec(source.slice(at)) ?? [];
    return {
      file,
      rest: path.slice(prefix.length + 1),
      body,
      sdk,
      api,
      call,
      id,
      request,
      errors,
      parameters,
    };
  }
  throw new Error(`No controller of ${EDGE} has a route that reads what ${path} belongs to by its id.`);
}

function addRoute(tree, { name }, { file, rest, body, sdk, api, id, request, errors, parameters }) {
  insertAfter(
    tree,
    file,
    "@Get(':id')",
    /\n {2}\}\n/,
    `
  @Documented({
    client: { sdk: '${sdk}.${sdkMethodOf(rest)}' },
    summary: 'Say in one sentence what it reads.',
    answers: { 200: { description: 'Say what the answer is.', body: ${body} } },${errors}${parameters}
  })
  @Get('${rest}')
  @JsonRoute()
  ${name}(@RequestCtx() ctx: Ctx, ${id}): Promise<string> {
    return this.rpc.call(ctx, ${api}.${name}, ${request});
  }
`,
  );
}

function addCall(tree, { name, last }, { api, call }) {
  const file = fileWith(tree, CALLS, '.rpc.ts', `export const ${api} =`);
  const source = tree.read(file, 'utf8');
  const [declared] = new RegExp(`\\n  ${call}: defineMethod<[^]*?'read'[^)]*\\),\\n`).exec(source) ?? [''];
  const pattern = /'([\w.-]+)\.[\w-]+',\s*'read'/.exec(declared)?.[1];
  const added = declared
    .replace(`\n  ${call}:`, `  ${name}:`)
    .replace(/'[\w.-]+'(,\s*'read')/, `'${pattern}.${kebabOf(last)}'$1`);
  insertAfter(
    tree,
    file,
    `export const ${api} =`,
    new RegExp(`\\n  ${call}: defineMethod<[^]*?'read'[^)]*\\),\\n`),
    added,
  );
}

function addHandler(tree, { name }, { api, call }) {
  const answers = `@Answers(${api}.${call})`;
  const file = fileWith(tree, 'libs/domains', '.controller.ts', answers);
  const source = tree.read(file, 'utf8');
  const [, handler] = /\)\n {2}(?:async )?(\w+)\(/.exec(source.slice(source.indexOf(answers))) ?? [];
  const type = `(typeof ${api})['${name}']`;
  insertAfter(
    tree,
    file,
    answers,
    /\n {2}\}\n/,
    `
  @Answers(${api}.${name})
  ${name}(ctx: Ctx, request: RequestOf<${type}>) {
    return this.${handler}(ctx, request);
  }
`,
  );
}

/** @returns 'getActivity' for ':id/activity' */
const sdkMethodOf = (rest) => `get${pascalOf(rest.split('/').at(-1))}`;

function fileWith(tree, folder, ending, text) {
  const file = filesBelow(tree, folder, ending).find((path) => tree.read(path, 'utf8').includes(text));
  if (!file) throw new Error(`No file of ${folder} has ${text}.`);
  return file;
}

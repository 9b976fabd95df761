import { formatFiles } from '@nx/devkit';
import { insertBefore, writeNew } from './edit.mjs';
import { camelOf, kebabOf, pascalOf, requireName } from './names.mjs';

const FOLDER = 'libs/providers/src';

/** Writes a provider of one slow service over HTTP with its spec, and shows it in the room's index. */
export default async function provider(tree, { name, service }) {
  requireName(name);
  requireName(service);
  const [file, className, answered] = [kebabOf(name), `${pascalOf(name)}Provider`, camelOf(service)];
  writeNew(
    tree,
    `${FOLDER}/${file}/${file}.provider.ts`,
    `import { OutboundError, type OutboundAnswer } from '@quarry/outbound';
import { z } from 'zod';
import { failureOfCall, failureOfStatus, invalidOutput } from '../http-vendor/vendor-failure.js';
import { jsonOf, VendorClient } from '../http-vendor/vendor.client.js';
import type { ProviderAnswer, ProviderCall, LookupProvider } from '../ports/lookup.port.js';

/** What is read of the vendor's answer. */
const answerSchema = z.object({ items: z.array(z.string()) });

/** Say which vendor this is, and where its API is described. Repeats nothing: that is for the policy around it. */
export class ${className} implements LookupProvider {
  readonly id = '${file}';
  readonly services = ['${answered}'];
  private readonly client: VendorClient;

  /** @param options.baseUrl without the path; @param options.key sent as a bearer token */
  constructor(private readonly options: { baseUrl: string; key: string }) {
    this.client = new VendorClient(options.baseUrl);
  }

  async run(call: ProviderCall): Promise<ProviderAnswer> {
    const headers = { authorization: \`Bearer \${this.options.key}\`, 'idempotency-key': call.searchId };
    const post = { path: '/search', headers, body: call.input, signal: call.signal };
    const answer = await this.client.post(post).catch((error: unknown) => {
      throw error instanceof OutboundError ? failureOfCall(this.id, error) : error;
    });
    if (answer.status < 200 || answer.status > 299) throw failureOfStatus(this.id, answer);
    const { items } = this.read(answer);
    const found = items.length > 0;
    return { found, deep: false, provider: this.id, output: { found, items, provider: this.id } };
  }

  private read(answer: OutboundAnswer): z.infer<typeof answerSchema> {
    try {
      return answerSchema.parse(jsonOf(answer));
    } catch (cause) {
      throw invalidOutput(this.id, cause);
    }
  }
}
`,
  );
  insertBefore(
    tree,
    `${FOLDER}/index.ts`,
    'export ',
    /^/,
    `export { ${className} } from './${file}/${file}.provider.js';\n`,
  );
  await formatFiles(tree);
}

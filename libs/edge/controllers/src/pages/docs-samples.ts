/** Part of an operation of the description that a sample is made of. */
export interface SampledOperation {
  parameters?: ReadonlyArray<{ name: string; in: string; example?: unknown; schema?: { pattern?: string } }>;
  requestBody?: { content: Readonly<Record<string, { example?: unknown }>> };
  'x-quarry'?: { paging: string | null; sdk?: string; command?: string | null };
}

interface Sample {
  title: string;
  text: string;
}

/**
 * Writes a call of an operation for a shell, in TypeScript and as a command, as far as these exist. Its source is sent to the
 * page, so it uses nothing from outside.
 * @param base address of this API
 * @returns no samples for an operation that clients do not have
 */
export function samplesOf(
  base: string,
  path: string,
  method: string,
  { parameters = [], requestBody, 'x-quarry': traits }: SampledOperation,
): Sample[] {
  if (!traits?.sdk) return [];
  const sdk = '@quarry/sdk';
  const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const inPath = parameters.filter((each) => each.in === 'path');
  // A parameter without an example is shown as a placeholder, such as RUN_ID.
  const exampleOf = ({ name, example, schema }: (typeof inPath)[number]) =>
    example === undefined
      ? `${(/^\^(\w+?)_/.exec(schema?.pattern ?? '')?.[1] ?? name).toUpperCase()}${schema?.pattern ? '_ID' : ''}`
      : String(example as string);
  const values = new Map(inPath.map((each) => [each.name, exampleOf(each)]));
  const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const body = content?.example as Record<string, unknown> | undefined;
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? name);
  const headers = type === undefined ? [] : [`-H 'Content-Type: ${type}'`];
  const sent =
    type === undefined
      ? []
      : body === undefined
        ? ['--data-binary @leads.csv']
        : [`-d ${quote(JSON.stringify(body))}`];
  const curl = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${quote(base + address)}`,
    '-H "Authorization: Bearer $QUARRY_API_KEY"',
    ...headers,
    ...sent,
  ];
  // Property names are written without quotes.
  const literal = (value: unknown) =>
    value === undefined ? '{}' : JSON.stringify(value, null, 2).replace(/^(\s*)"([a-z_]\w*)":/gim, '$1$2:');
  const filled = (text: string, write: (value: unknown) => string) =>
    text.replace(/\{(body\.)?(\w+)\}/g, (_, of: string | undefined, name: string) =>
      of ? write(body?.[name]) : name === 'body' ? write(body) : write(values.get(name)),
    );
  const call = traits.sdk.includes('(')
    ? filled(traits.sdk, literal)
    : `${traits.sdk}(${[...[...values.values()].map(literal), ...(type === undefined ? [] : [literal(body)])].join(', ')})`;
  const isLoop = traits.paging !== null || /\.(follow\w*|download)\(/.test(call);
  const typescript = [
    `import { Quarry } from '${sdk}';`,
    '',
    `const quarry = new Quarry({ baseUrl: '${base}', apiKey: process.env.QUARRY_API_KEY });`,
    isLoop
      ? `for await (const each of quarry.${call}) console.log(each);`
      : `const answer = await quarry.${call};`,
  ];
  const input = type === undefined ? '' : body === undefined ? ' --input leads.csv' : ' --input body.json';
  const command = traits.command
    ? filled(traits.command, (value) =>
        /^[\w.-]+$/.test(String(value)) ? String(value) : quote(String(value)),
      )
    : `api ${method.toUpperCase()} ${address}${input}`;
  return [
    { title: 'curl', text: curl.join(' \\\n  ') },
    { title: 'TypeScript', text: typescript.join('\n') },
    { title: 'Command', text: `quarry ${command}` },
  ];
}

/** Part of Swagger UI's system that the plugin uses. */
interface SwaggerSystem {
  React: { createElement: (type: unknown, props: object | null, ...children: unknown[]) => unknown };
  specSelectors: {
    specJson: () => { getIn: (path: string[]) => { toJS: () => SampledOperation } | undefined };
  };
}

/** Source of a plugin of Swagger UI that shows the samples of an operation side by side, above its answers. */
export const SAMPLES_PLUGIN = `(() => {
const samplesOf = ${samplesOf.toString()};
return ${samplesPlugin.toString()};
})()`;

declare const location: { origin: string };

function samplesPlugin() {
  return {
    wrapComponents: {
      responses: (Original: unknown, system: SwaggerSystem) => (props: { path: string; method: string }) => {
        const create = system.React.createElement;
        const operation = system.specSelectors.specJson().getIn(['paths', props.path, props.method])?.toJS();
        const samples = operation ? samplesOf(location.origin, props.path, props.method, operation) : [];
        return create(
          'div',
          null,
          samples.length > 0 &&
            create(
              'div',
              { className: 'samples', role: 'group', 'aria-label': 'Samples' },
              ...samples.map(({ title, text }) =>
                create(
                  'section',
                  { key: title },
                  create('h4', null, title),
                  create('pre', { tabIndex: 0 }, create('code', null, text)),
                ),
              ),
            ),
          create(Original, props),
        );
      },
    },
  };
}

/** Style of the samples: side by side where there is room. */
export const SAMPLES_CSS = `.samples {
  display: grid;
  grid-template-columns: repeat(auto-fit, minmax(min(320px, 100%), 1fr));
  gap: 16px;
  padding: 16px 20px;
}
.samples section {
  min-width: 0;
}
.samples h4 {
  margin: 0 0 8px;
  font: 600 14px sans-serif;
  color: #3b4151;
}
.samples pre {
  margin: 0;
  padding: 12px;
  border-radius: 6px;
  white-space: pre-wrap;
  overflow-wrap: anywhere;
  background: #1b1b1b;
  color: #f5f5f5;
  font: 12px/1.5 ui-monospace, monospace;
}
`;

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** @returns the call as a command for a shell; the key is read from the environment */
export function curlOf(address: string, body: unknown): string {
  return [
    `curl -s ${quoted(address)} \\`,
    `  -H "Authorization: Bearer $QUARRY_API_KEY" \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join('\n');
}

/** @returns the call in TypeScript, with nothing but fetch */
export function codeOf(address: string, body: unknown): string {
  return [
    `const response = await fetch(${JSON.stringify(address)}, {`,
    `  method: 'POST',`,
    `  headers: {`,
    '    Authorization: `Bearer ${process.env.QUARRY_API_KEY}`,',
    `    'Content-Type': 'application/json',`,
    `  },`,
    `  body: JSON.stringify(${JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')}),`,
    `});`,
    `const answer = await response.json();`,
  ].join('\n');
}

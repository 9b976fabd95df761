// The table of tools in docs/mcp.md, from the catalogue.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TOOLS, ToolSet } from '@quarry/mcp';
import { table } from './error-page.mjs';

export const path = 'docs/mcp.md';

const PART = /(<!-- generated: tools -->\n)[^]*?(<!-- \/generated -->)/;

export async function render(root) {
  const text = readFileSync(join(root, path), 'utf8');
  if (!PART.test(text)) throw new Error(`${path} has no place for its tools.`);
  const rows = TOOLS.map((tool) => [
    `\`${tool.name}\``,
    tool.description.split('. ')[0].replace(/\.$/, ''),
    Object.entries(tool.input.shape)
      .map(([name, field]) => (field.safeParse(undefined).success ? `${name}?` : name))
      .join(', '),
    effectsOf(tool.effects),
    tool.rateClass === 'reads' ? '' : tool.rateClass,
    tool.charge,
    asksOf(tool),
  ]);
  const bytes = Buffer.byteLength(JSON.stringify(new ToolSet(TOOLS).list));
  const head = [
    'Tool',
    'What it does',
    'Arguments',
    'Effect',
    'Additional rate class',
    'Charge',
    'Asks for consent',
  ];
  const made = `\n${table(head, rows)}\n\nAll ${TOOLS.length} tools take ${bytes.toLocaleString('en')} bytes in \`tools/list\`.\n\n`;
  return text.replace(PART, (_whole, open, close) => `${open}${made}${close}`);
}

function asksOf({ spend, charge }) {
  if (!spend) return '';
  return charge === 'free' ? 'before it removes' : 'above 5 credits';
}

function effectsOf({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }) {
  if (readOnlyHint) return 'reads';
  const words = [
    'writes',
    destructiveHint && 'destructive',
    idempotentHint && 'idempotent',
    openWorldHint && 'external requests',
  ];
  return words.filter(Boolean).join(', ');
}

import type { Destination, PushPreview, Row, Table } from '../api/resources';
import { formatNumber } from '../ui/format';

type Kind = Destination['kind'];
export const KINDS: Readonly<Record<Kind, { readonly label: string; readonly secretHint: string }>> = {
  webhook: {
    label: 'Webhook',
    secretHint: 'It signs the messages. Copy it to the receiver now: it is not shown again.',
  },
  hubspot_contacts: { label: 'HubSpot contacts', secretHint: 'The access token of a private app.' },
  hubspot_companies: { label: 'HubSpot companies', secretHint: 'The access token of a private app.' },
  pipedrive_persons: { label: 'Pipedrive persons', secretHint: 'The API token.' },
  instantly_leads: { label: 'Instantly leads', secretHint: 'An API key with the scope leads:all.' },
  smartlead_leads: { label: 'Smartlead leads', secretHint: 'The API key.' },
  lemlist_leads: { label: 'lemlist leads', secretHint: 'The API key.' },
};
/** CRMs. By default their existing values are kept. */
export const CRM_KINDS: ReadonlySet<Kind> = new Set([
  'hubspot_contacts',
  'hubspot_companies',
  'pipedrive_persons',
]);
/** Sequencers, which add leads to a campaign. */
export const CAMPAIGN_KINDS: ReadonlySet<Kind> = new Set([
  'instantly_leads',
  'smartlead_leads',
  'lemlist_leads',
]);

type Counts = PushPreview['counts'];
const LEFT_OUT: Readonly<Record<Exclude<keyof Counts, 'new' | 'changed'>, string>> = {
  unchanged: 'unchanged since they were sent',
  excluded: 'on an exclusion list',
  without_key: 'without an e-mail address or domain',
  sandbox: 'fictional, sent in test mode only',
  duplicate: 'duplicates',
};

export const countSent = (counts: Counts) => counts.new + counts.changed;

/** @returns the number of rows left out, and the reasons, such as `1 on an exclusion list`; empty when there are none */
export function readLeftOut(counts: Counts): { count: number; reasons: string } {
  const parts = Object.entries(LEFT_OUT).map(
    ([name, reason]) => [counts[name as keyof typeof LEFT_OUT], reason] as const,
  );
  return {
    count: parts.reduce((sum, [count]) => sum + count, 0),
    reasons: parts
      .flatMap(([count, reason]) => (count > 0 ? `${formatNumber(count)} ${reason}` : []))
      .join(', '),
  };
}

/** @returns a mapping as editable text: `field = column`, one per line */
export function mappingText(mapping: Readonly<Record<string, string>>): string {
  return Object.entries(mapping)
    .map(([field, column]) => `${field} = ${column}`)
    .join('\n');
}

/** @returns the mapping in a text, null for an empty one, or the problem with it */
export function readMapping(text: string): { mapping?: Record<string, string> | null; problem?: string } {
  const entries = new Map<string, string>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    // A field name may contain =, a column key cannot.
    const [, field = '', column = ''] = /^(.*)=(.*)$/.exec(line) ?? [];
    if (!field.trim() || !column.trim()) return { problem: `Line ${at + 1} is not “field = column”.` };
    if (entries.has(field.trim())) return { problem: `Line ${at + 1} names ${field.trim()} a second time.` };
    entries.set(field.trim(), column.trim());
  }
  return { mapping: entries.size === 0 ? null : Object.fromEntries(entries) };
}

/** @returns a new secret for signing messages, in the form of Standard Webhooks */
export function newSigningSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** @returns the first three texts of a row, which identify it for users; empty when it has none */
export function rowName({ values }: Pick<Row, 'values'>, columns: Table['columns']): string {
  const texts = columns
    .map(({ key }) => values[key])
    .filter((value) => typeof value === 'string' && value.trim() !== '');
  return texts.slice(0, 3).join(', ').slice(0, 120);
}

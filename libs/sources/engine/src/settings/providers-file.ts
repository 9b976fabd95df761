import { schemaFaults } from '@quarry/dto';
import { LOOKUP_OUTPUTS, SLOW_SERVICES } from '@quarry/service-catalog';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { DIRECTORY_NAME } from './directory-names.js';

/** Services whose providers have an order: all but the searches of a directory. */
const SERVICE_NAMES = [...Object.keys(SLOW_SERVICES), ...Object.keys(LOOKUP_OUTPUTS)];
/** Source: the statuses of getEmail's answer. */
const EMAIL_STATUSES = ['verified', 'catch_all', 'unverified'] as const;
/**
 * Usual in this trade: an address at a server that takes all mail counts, since nobody can say more about it; one that
 * nobody has checked does not.
 */
export const ACCEPTED_STATUSES: readonly string[] = ['verified', 'catch_all'];

/** Name of the fictional provider in the file. */
export const SANDBOX = 'sandbox';

/** Of YAML, so that a few lines do not unfold to gigabytes. */
const ALIASES_MAX = 100;

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

const provider = z.strictObject({
  enabled: z.boolean().optional(),
  key_env: z
    .string()
    .refine(
      (name) => VARIABLE.test(name),
      'must be the name of an environment variable, and never a key itself',
    )
    .optional(),
  base_url: z.string().optional(),
  settings: z.record(z.string(), z.string()).optional(),
});

const directoryName = z
  .string()
  .regex(DIRECTORY_NAME, 'must be a vendor that searches, web, or the name of an imported directory');

const fileSchema = z.strictObject({
  services: z
    .record(z.string(), z.array(z.string()))
    .superRefine((services, context) => {
      for (const name of Object.keys(services))
        if (!SERVICE_NAMES.includes(name))
          context.addIssue({
            code: 'custom',
            path: [name],
            message: `must be a service of: ${SERVICE_NAMES.join(', ')}`,
          });
    })
    .optional(),
  providers: z.record(z.string(), provider).optional(),
  // Imported while the product runs, so nobody can say at the start whether a name is one.
  directories: z
    .strictObject({ companies: z.array(directoryName).optional(), people: z.array(directoryName).optional() })
    .optional(),
  accept: z.strictObject({ getEmail: z.array(z.enum(EMAIL_STATUSES)).min(1).optional() }).optional(),
});

/** Settings of an operator for providers. Fields left out keep their default. */
export type ProvidersFile = z.infer<typeof fileSchema>;

/** Says what is wrong with the settings of providers, each fault with its place in the file. */
export class ProviderSettingsError extends Error {
  override readonly name = 'ProviderSettingsError';
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/**
 * @param text JSON or YAML 1.2, of which JSON is a part
 * @throws ProviderSettingsError
 */
export function readProvidersFile(text: string): ProvidersFile {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0)
    throw new ProviderSettingsError(
      document.errors.map(
        ({ message, pos: [at] }) => `line ${text.slice(0, at).split('\n').length}: ${message}`,
      ),
    );
  const content = contentOf(document);
  const parsed = fileSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  throw new ProviderSettingsError(schemaFaults(parsed.error.issues, content).map(({ message }) => message));
}

function contentOf(document: ReturnType<typeof parseDocument>): unknown {
  try {
    // An empty file says nothing, and everything keeps its default.
    return document.toJS({ maxAliasCount: ALIASES_MAX }) ?? {};
  } catch {
    throw new ProviderSettingsError(['it has too many aliases']);
  }
}

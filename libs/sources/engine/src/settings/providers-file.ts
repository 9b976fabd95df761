import { schemaFaults } from '@quarry/dto';
import { LOOKUP_OUTPUTS, SLOW_SERVICES } from '@quarry/service-catalog';
import type { parseDocument } from 'yaml';
import { z } from 'zod';
import { DIRECTORY_NAME } from './directory-names.js';

/** Services whose provider order can be configured: all except the directory searches. */
const SERVICE_NAMES = [...Object.keys(SLOW_SERVICES), ...Object.keys(LOOKUP_OUTPUTS)];
/** Statuses in the output of getEmail. */
const EMAIL_STATUSES = ['verified', 'catch_all', 'unverified'] as const;
/**
 * Default accept rule, the usual one in this trade: an address at a catch-all server counts as found, since nobody can
 * verify it further; an address that nobody has checked does not.
 */
export const ACCEPTED_STATUSES: readonly string[] = ['verified', 'catch_all'];

/** Name of the sandbox provider in the file. */
export const SANDBOX = 'sandbox';

/** Maximum number of YAML aliases, so that a few lines cannot expand to gigabytes. */
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
  // Directories are imported at runtime, so these names cannot be validated at startup.
  directories: z
    .strictObject({ companies: z.array(directoryName).optional(), people: z.array(directoryName).optional() })
    .optional(),
  accept: z.strictObject({ getEmail: z.array(z.enum(EMAIL_STATUSES)).min(1).optional() }).optional(),
});

/** Settings of an operator for providers. Omitted fields keep their default. */
export type ProvidersFile = z.infer<typeof fileSchema>;

/** Lists the faults in the provider settings, each with its position in the file. */
export class ProviderSettingsError extends Error {
  override readonly name = 'ProviderSettingsError';
  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/**
 * @param text JSON or YAML 1.2, which is a superset of JSON
 * @throws ProviderSettingsError
 */
export async function readProvidersFile(text: string): Promise<ProvidersFile> {
  // Only a process with such a file needs the parser, which takes 3 MB.
  const { parseDocument } = await import('yaml');
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
    // In an empty file every setting keeps its default.
    return document.toJS({ maxAliasCount: ALIASES_MAX }) ?? {};
  } catch {
    throw new ProviderSettingsError(['it has too many aliases']);
  }
}

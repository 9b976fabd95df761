import type { Database } from '@quarry/platform';
import { ApiClient } from './api-client.js';
import type { Credentials, DataDir } from './data-dir.js';
import { createOrganisation } from './organisation.js';

const DEMO_CREDITS = 1000;

/**
 * Finds the credentials of the demonstration organisation, makes it where there is none, and writes them with the
 * addresses of now. The API is asked whether it knows the key: the folder may have been pointed at another database.
 * @param at.baseUrl where the API answers now
 * @returns them, and whether this call made them
 */
export async function demonstrationCredentials(
  dataDir: DataDir,
  database: Database,
  at: { baseUrl: string; appUrl: string },
): Promise<{ credentials: Credentials; isNew: boolean }> {
  const known = dataDir.credentials();
  const isKnown = known !== null && (await accepts(at.baseUrl, known.api_key));
  const addresses = { base_url: at.baseUrl, app_url: at.appUrl };
  const credentials: Credentials = isKnown
    ? { ...known, ...addresses }
    : { ...(await demonstration(database)), ...addresses };
  dataDir.writeCredentials(credentials);
  return { credentials, isNew: !isKnown };
}

async function demonstration(database: Database): Promise<Omit<Credentials, 'base_url' | 'app_url'>> {
  const made = await createOrganisation(database, { name: 'Demonstration', credits: DEMO_CREDITS });
  return { api_key: made.apiKey, test_key: made.testKey, email: made.email, password: made.password };
}

async function accepts(baseUrl: string, apiKey: string): Promise<boolean> {
  return new ApiClient(baseUrl, apiKey).get('/credits').then(
    () => true,
    () => false,
  );
}

import { IdentityStore } from '@quarry/identity';
import type { Credentials, DataDir } from '@quarry/installation';
import { newId, systemCtx } from '@quarry/app';
import type { Database } from '@quarry/postgres';
import { ApiClient } from './api-client.js';
import { createOrganisation } from './organisation.js';

const ctx = systemCtx('demonstration');
const NAME = 'Demonstration';
const DEMO_CREDITS = 1000;

/**
 * Finds the credentials of the demonstration organisation, creates it if there is none, and stores them with the current
 * addresses. The API must accept the stored key, because the folder may have been pointed at another database. If the
 * database has the organisation but the folder lacks its keys, as after a restore, it gets another owner with new keys.
 * @param at.baseUrl current address of the API
 * @returns the credentials, and whether this call created the organisation
 */
export async function demonstrationCredentials(
  dataDir: DataDir,
  database: Database,
  at: { baseUrl: string; appUrl: string },
): Promise<{ credentials: Credentials; isNew: boolean }> {
  const known = dataDir.credentials();
  const isKnown = known !== null && (await acceptsKey(at.baseUrl, known.api_key));
  const addresses = { base_url: at.baseUrl, app_url: at.appUrl };
  const { isNew, ...found } = isKnown ? { ...known, isNew: false } : await openDemonstration(database);
  const credentials: Credentials = { ...found, ...addresses };
  dataDir.writeCredentials(credentials);
  return { credentials, isNew };
}

type FoundCredentials = Omit<Credentials, 'base_url' | 'app_url'> & { isNew: boolean };

async function openDemonstration(database: Database): Promise<FoundCredentials> {
  const organisations = await new IdentityStore(database).listOrganisations(ctx);
  const known = organisations.find(({ name }) => name === NAME);
  if (known) return ownerOf(database, known.id);
  const made = await createOrganisation(database, { name: NAME, credits: DEMO_CREDITS });
  const { email, password, apiKey, testKey } = made;
  return { api_key: apiKey, test_key: testKey, email, password, isNew: true };
}

/** Creates another owner: the password and the keys of the first one cannot be read from the database. */
async function ownerOf(database: Database, orgId: string): Promise<FoundCredentials> {
  const identity = new IdentityStore(database);
  return database.transaction(ctx, async (tx) => {
    const email = `${newId('usr').replace('_', '-')}@${orgId.replace('_', '-')}.invalid`;
    const { userId, password } = await identity.createUser(tx, { orgId, email, role: 'owner' });
    const live = await identity.createKey(tx, { orgId, userId, mode: 'live' });
    const test = await identity.createKey(tx, { orgId, userId, mode: 'test' });
    return { api_key: live.apiKey, test_key: test.apiKey, email, password, isNew: false };
  });
}

async function acceptsKey(baseUrl: string, apiKey: string): Promise<boolean> {
  return new ApiClient(baseUrl, apiKey).get('/credits').then(
    () => true,
    () => false,
  );
}

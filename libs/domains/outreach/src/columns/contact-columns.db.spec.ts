import { expect, it } from '@jest/globals';
import { AppError } from '@quarry/error-codes';
import { Lifecycle, newId } from '@quarry/app';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { contactRow, SequenceScene } from '../sequence-scene.fixture.js';
import { ContactColumnsPort } from './contact-columns.port.js';
import { ContactColumns } from './contact-columns.js';

const test = useTestDatabase();

it('a table at its column limit is asked once, and does not keep other tables from showing their contacts', async () => {
  const scene = new SequenceScene(test.database);
  const full = { ...testCtx('org_columns_a'), keyId: newId('key') };
  const other = { ...testCtx('org_columns_b'), keyId: newId('key') };
  for (const ctx of [full, other]) {
    const id = await scene.sequence(ctx);
    await scene.enroll(ctx, id, [contactRow('anna@acme.com')]);
  }
  const requests: string[] = [];
  class Tables extends ContactColumnsPort {
    showValues({ orgId }: { orgId: string }): Promise<void> {
      requests.push(orgId);
      const refusal = new AppError('invalid_request', 'The table has as many columns as it may.');
      return orgId === full.orgId ? Promise.reject(refusal) : Promise.resolve();
    }
  }
  const life = new Lifecycle(() => undefined);
  const columns = new ContactColumns(test.database, new Tables(), life, console as never);
  const { signal } = new AbortController();
  await columns.showAll(signal);
  await columns.showAll(signal);
  expect(requests).toEqual([full.orgId, other.orgId]);
});

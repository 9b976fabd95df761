import { describe, expect, it } from '@jest/globals';
import { Person } from '@quarry/dto';
import { newId, type Ctx } from '@quarry/app';
import { IdempotentRequests, lookingForPerson, statementsOf, type ErasurePart } from '@quarry/postgres';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { waitFor } from '@quarry/test-servers';
import { ERASURE_ORDER, NOTHING_ERASED, type ErasureParts } from './erasure-parts.js';
import { PersonErasure } from './person-erasure.js';

type OpenWork = ErasurePart<string>['openWork'][number];
const ANN = { email: 'ann@acme.example' };
const statement = statementsOf<{
  'spec.openWork': { params: OpenWork['types']['params']; row: Record<string, unknown> };
}>();
/** Creates open work of one organisation since a given time. */
const openFor = (orgId: string, since: string): OpenWork =>
  statement(
    'spec.openWork',
    `SELECT 1 AS open WHERE ($1::text[])[1] = '${orgId}' AND ($2::timestamptz IS NULL OR ${since} <= $2::timestamptz)`,
  );
const LONG_AGO = "'2000-01-01'::timestamptz";
const LATER = "'2100-01-01'::timestamptz";

describe('an erasure', () => {
  const test = useTestDatabase();

  /** Creates parts that record when they run; one of them reports open work. */
  function erasureWith(openWork: OpenWork[]): { erasure: PersonErasure; performed: string[] } {
    const performed: string[] = [];
    const part = (name: string, counts: readonly string[]): ErasurePart<string> => ({
      erase: () => {
        performed.push(name);
        return Promise.resolve(Object.fromEntries(counts.map((count) => [count, 1])));
      },
      openWork: name === 'go' ? openWork : [],
    });
    const parts = Object.entries(ERASURE_ORDER).map(([name, counts]) => [name, part(name, counts)]);
    return {
      erasure: new PersonErasure(
        test.database,
        new IdempotentRequests(test.database),
        Object.fromEntries(parts) as ErasureParts,
      ),
      performed,
    };
  }

  const receipts = (ctx: Ctx) =>
    test.database.query<{ subject: unknown; erased: Record<string, number> }>(
      ctx,
      'SELECT subject, erased FROM erasure.receipts WHERE org_id = $1',
      [ctx.orgId],
    );

  it('performs each part once, and adds up their counts', async () => {
    const ctx = testCtx(newId('org'));
    const { erasure, performed } = erasureWith([]);
    const { erased } = JSON.parse(await erasure.erasePerson(ctx, ANN, null)) as {
      erased: Record<string, number>;
    };
    expect(performed).toEqual(Object.keys(ERASURE_ORDER));
    expect(erased).toEqual({
      ...Object.fromEntries(Object.keys(NOTHING_ERASED).map((count) => [count, 1])),
      runs: 2,
      names: 2,
      in_work: 4,
    });
    expect(Object.keys(erased)).toEqual(Object.keys(NOTHING_ERASED));
    expect(await receipts(ctx)).toMatchObject([{ subject: null }]);
    expect(await erasure.followOne()).toBe(false);
  });

  it.each(['ΓΙΩΡΓΟΣ ΠΑΠΠΑΣ, ACME', 'Γιώργος Παππάς, Acme', 'γιωργοσ παππασ, acme'])(
    'finds in the database what it finds in a text: %s',
    async (text) => {
      const person = Person.of({ name: 'Γιώργος Παππάς', company: 'Acme' });
      const condition = lookingForPerson((_, of) => of('$1', '$2'))[person.sought];
      const params = [text, person.patterns];
      const [row] = await test.database.query<{ found: boolean }>(
        testCtx(''),
        `SELECT ${condition} AS found`,
        params,
      );
      expect([person.isIn(text), row!.found]).toEqual([true, true]);
    },
  );

  it('runs again, once, after work ended that was open before', async () => {
    const ctx = testCtx(newId('org'));
    await erasureWith([openFor(ctx.orgId, LONG_AGO)]).erasure.erasePerson(ctx, ANN, null);
    expect(await receipts(ctx)).toMatchObject([{ subject: ANN }]);
    expect(await erasureWith([openFor(ctx.orgId, LONG_AGO)]).erasure.followOne()).toBe(false);

    // The work that is open now was created after the erasure.
    const { erasure, performed } = erasureWith([openFor(ctx.orgId, LATER)]);
    expect(await erasure.followOne()).toBe(true);
    expect(performed).toEqual(Object.keys(ERASURE_ORDER));
    expect(await receipts(ctx)).toMatchObject([{ subject: null, erased: { rows: 2, names: 4, in_work: 0 } }]);
    expect(await erasure.followOne()).toBe(false);
  });

  it('is run again by one process alone', async () => {
    const ctx = testCtx(newId('org'));
    await erasureWith([openFor(ctx.orgId, LONG_AGO)]).erasure.erasePerson(ctx, ANN, null);
    // Both processes have found the receipt and wait before they claim it.
    const gate = statement(
      'spec.openWork',
      `SELECT 1 AS open FROM pg_advisory_xact_lock_shared(71) AS gate
       WHERE gate::text = ($1::text[])[1] AND $2::timestamptz IS NOT NULL`,
    );
    const { erasure, performed } = erasureWith([gate]);
    const following = await test.database.transaction(ctx, async (tx) => {
      await test.database.query(tx, 'SELECT pg_advisory_xact_lock(71)');
      const calls = Promise.all([erasure.followOne(), erasure.followOne()]);
      calls.catch(() => undefined);
      await waitFor('both to have found it', () =>
        test.database.queryOne(
          testCtx(''),
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory' HAVING count(*) = 2`,
        ),
      );
      return { calls };
    });
    const both = await following.calls;
    expect(performed).toHaveLength(Object.keys(ERASURE_ORDER).length);
    expect(both.toSorted()).toEqual([false, true]);
  });

  it('waits for no work of another organisation', async () => {
    const [waiting, free] = [testCtx(newId('org')), testCtx(newId('org'))];
    for (const ctx of [waiting, waiting, free])
      await erasureWith([openFor(ctx.orgId, LONG_AGO)]).erasure.erasePerson(ctx, ANN, null);
    const { erasure } = erasureWith([openFor(waiting.orgId, LONG_AGO)]);
    expect(await erasure.followOne()).toBe(true);
    expect(await erasure.followOne()).toBe(false);
    expect(await receipts(free)).toMatchObject([{ subject: null }]);
    expect(await receipts(waiting)).toMatchObject([{ subject: ANN }, { subject: ANN }]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, testCtx, waitFor, type TestDatabase } from '@quarry/testing';
import { afterCommit, type Database } from './database.js';

const ctx = testCtx('org_a');

describe('the database', () => {
  let test: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    test = await createTestDatabase();
    db = test.database;
    await db.query(ctx, 'CREATE TABLE note (id int PRIMARY KEY, text text)');
  });
  afterAll(() => test.drop());

  it('keeps nothing of a transaction that throws, and runs none of its effects', async () => {
    const effects: string[] = [];
    const work = db.transaction(ctx, async (tx) => {
      await db.query(tx, 'INSERT INTO note VALUES (1, $1)', ['lost']);
      await afterCommit(tx, () => void effects.push('ran'));
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await db.query(ctx, 'SELECT * FROM note')).toEqual([]);
    expect(effects).toEqual([]);
  });

  it('runs effects once, after the commit is visible to others', async () => {
    const seen: unknown[] = [];
    await db.transaction(ctx, async (tx) => {
      await db.query(tx, 'INSERT INTO note VALUES (2, $1)', ['kept']);
      await afterCommit(
        tx,
        async () => void seen.push(await db.queryOne(ctx, 'SELECT text FROM note WHERE id = 2')),
      );
    });
    expect(seen).toEqual([{ text: 'kept' }]);
  });

  it('runs a transaction again when it was the victim of a deadlock', async () => {
    await db.query(ctx, "INSERT INTO note VALUES (10, ''), (11, '')");
    let arrived = 0;
    let open: () => void = () => undefined;
    const bothHoldOne = new Promise<void>((resolve) => (open = resolve));
    const cross = (first: number, second: number) =>
      db.transaction(ctx, async (tx) => {
        await db.query(tx, 'UPDATE note SET text = text || $2 WHERE id = $1', [first, 'x']);
        if (++arrived >= 2) open();
        await bothHoldOne;
        await db.query(tx, 'UPDATE note SET text = text || $2 WHERE id = $1', [second, 'x']);
      });
    await Promise.all([cross(10, 11), cross(11, 10)]);
    expect(await db.query(ctx, 'SELECT text FROM note WHERE id >= 10')).toEqual([
      { text: 'xx' },
      { text: 'xx' },
    ]);
    expect(arrived).toBe(3);
  });

  it('answers each of many pipelined reads with its own row, also when one of them fails', async () => {
    const reads = Array.from({ length: 50 }, (_, i) =>
      db.queryOne(ctx, 'SELECT 100 / $1::int AS n', [i]).catch(() => 'refused'),
    );
    const answers = await Promise.all(reads);
    expect(answers[0]).toBe('refused');
    expect(answers.slice(1)).toEqual(
      Array.from({ length: 49 }, (_, i) => ({ n: Math.trunc(100 / (i + 1)) })),
    );
  });

  it('answers a light read while a heavy one holds up its connection', async () => {
    let heavyEnded = false;
    const heavy = db.query(ctx, 'SELECT pg_sleep(1)').then(() => (heavyEnded = true));
    const sentAt = performance.now();
    await waitFor('the heavy read to hold it up', () => Promise.resolve(performance.now() - sentAt > 10));
    await Promise.all(Array.from({ length: 20 }, () => db.query(ctx, 'SELECT 1')));
    expect(heavyEnded).toBe(false);
    await heavy;
  });
});

import { beforeAll, describe, expect, it } from '@jest/globals';
import { CreditLedger } from '@quarry/credit-ledger';
import { newId, type Ctx } from '@quarry/app';
import { IdempotentRequests, AuditLog } from '@quarry/postgres';
import { PersonErasure } from '@quarry/privacy';
import { useTestDatabase, testCtx } from '@quarry/testing';
import { PRODUCT_ERASURE } from './product-erasure.js';
import { createOrganisation } from './organisation.js';
import { openTables } from './tables.fixture.js';
import { TABLES_RPC, type ColumnJson } from '@quarry/dto';

const column = (key: string): ColumnJson => ({ key, name: key, kind: 'text', qualification: {} });
const ANN = { email: 'ann@acme.example' };
const SLUG = 'https://www.linkedin.com/in/ann-example';

/** One organisation with a person in every place that stores personal data. */
describe('erasing a person', () => {
  const test = useTestDatabase();
  let erasure: PersonErasure;

  beforeAll(() => {
    erasure = new PersonErasure(test.database, new IdempotentRequests(test.database), PRODUCT_ERASURE);
  });

  const query = (ctx: Ctx, sql: string, params: unknown[] = []) => test.database.query(ctx, sql, params);

  async function organisation(): Promise<Ctx> {
    const { orgId } = await createOrganisation(test.database, { name: 'Keeping', credits: 10 });
    return testCtx(orgId, { keyId: 'key_1' });
  }

  /** Creates a frozen and exported table of three people, the second of whom is Ann; an ended run, a job, a keyed response. */
  async function fill(ctx: Ctx): Promise<{ tableId: string; runId: string }> {
    const { database } = test;
    const tables = await openTables(database);
    const { rpc } = tables;
    const workspaceId = await tables.writer.createWorkspace(ctx, 'Write to Ann@acme.example');
    const [tableId, runId, convId] = [newId('tbl'), newId('run'), newId('conv')];
    await tables.writer.createTable(ctx, {
      id: tableId,
      workspaceId,
      name: 'People',
      columns: [column('name'), column('email'), column('linkedin')],
    });
    const row = (name: string, email: string, linkedin: string, status: 'qualified' | 'unknown') => ({
      id: newId('row'),
      values: { name, email, linkedin },
      fit: { status, score: 1, reason: `${name} fits`, criteria: [] },
    });
    await tables.writer.appendRows(ctx, tableId, [
      row('Bob Other', 'bob@acme.example', 'https://www.linkedin.com/in/bob', 'qualified'),
      row('Ann Example', 'Ann@ACME.example', SLUG, 'qualified'),
      row('Jo Ann', 'joann@acme.example', 'https://www.linkedin.com/in/ann-example-2', 'unknown'),
    ]);
    await query(
      ctx,
      'INSERT INTO runs.conversations (org_id, mode, id, workspace_id) VALUES ($1, $2, $3, $4)',
      [ctx.orgId, ctx.mode, convId, workspaceId],
    );
    await query(
      ctx,
      `INSERT INTO runs.runs (id, org_id, mode, workspace_id, conversation_id, prompt, status, message, output, output_contract, body_hash, ended_at)
       VALUES ($1, $2, $3, $4, $5, $6, 'completed', 'Done', $7, '{}', '', clock_timestamp())`,
      [
        runId,
        ctx.orgId,
        ctx.mode,
        workspaceId,
        convId,
        `Find the phone of ann@acme.example, ${SLUG}`,
        JSON.stringify({
          people: [{ name: 'Ann Example', email: 'ann@acme.example', url: SLUG }, { name: 'Bob' }],
        }),
      ],
    );
    await query(
      ctx,
      `INSERT INTO runs.steps (run_id, name, position, input, result, finished_at) VALUES
         ($1, 'plan', 0, $2, '{}', clock_timestamp()), ($1, 'other', 1, '{}', '{}', clock_timestamp())`,
      [runId, JSON.stringify({ prompt: `ann@acme.example ${SLUG}` })],
    );
    await query(
      ctx,
      `INSERT INTO runs.plans (id, org_id, mode, prompt, planner, plans, understood) VALUES
         ($1, $2, $3, $4, 'rules', '[]', '[]'), ($5, $2, $3, 'bob@acme.example', 'rules', '[]', '[]')`,
      [newId('plan'), ctx.orgId, ctx.mode, `The phone of ann@acme.example ${SLUG}`, newId('plan')],
    );
    await query(
      ctx,
      `INSERT INTO runs.monitors (id, org_id, mode, name, workspace_id, conversation_id, prompt, plans, cron, time_zone, first_run, identity_key, next_at) VALUES
         ($1, $2, $3, 'Calls', $4, $5, $6, '[]', '0 9 * * 1', 'UTC', 'deliver', 'k', now()),
         ($7, $2, $3, 'Calls', $4, $5, 'bob@acme.example', '[]', '0 9 * * 1', 'UTC', 'deliver', 'k', now())`,
      [
        newId('mon'),
        ctx.orgId,
        ctx.mode,
        workspaceId,
        convId,
        `What ann@acme.example ${SLUG} does`,
        newId('mon'),
      ],
    );
    await database.transaction(ctx, (tx) =>
      tables.freezer.freezeTable(tx, { runId, key: 'people', tableId }),
    );
    await rpc.call(ctx, TABLES_RPC.createExport, { runId, tableKey: 'people', format: 'csv' });
    await rpc.call(ctx, TABLES_RPC.createWorkspace, {
      name: `For ann@acme.example ${SLUG}`,
      idempotencyKey: 'k1',
    });
    const batch = newId('svcbatch');
    const jobs = [newId('svcjob'), newId('svcjob')];
    await database.transaction(ctx, async (tx) => {
      await query(
        tx,
        `INSERT INTO jobs.batches (id, org_id, mode, service, size, open_lines, completed_at) VALUES ($1, $2, $3, 'getEmail', 2, 0, clock_timestamp())`,
        [batch, ctx.orgId, ctx.mode],
      );
      for (const [i, job] of jobs.entries())
        await query(
          tx,
          `INSERT INTO jobs.jobs (id, org_id, mode, service, batch_id, input_index, input, share_key, reuse_key, state, price, result, provider, completed_at)
           VALUES ($1, $2, $3, 'getEmail', $4, $5, $6, $7, $7, 'completed', 1000, $8, 'spec', clock_timestamp())`,
          [
            job,
            ctx.orgId,
            ctx.mode,
            batch,
            i,
            JSON.stringify({ linkedin_url: i === 0 ? SLUG : 'https://www.linkedin.com/in/bob' }),
            `in:${i}`,
            JSON.stringify({ found: true, email: i === 0 ? 'ann@acme.example' : 'bob@acme.example' }),
          ],
        );
    });
    return { tableId, runId };
  }

  /** Returns all stored texts of the organisation. */
  async function everythingOf(ctx: Ctx): Promise<string> {
    const rows = await query(
      ctx,
      `SELECT r::text FROM tables.rows r WHERE org_id = $1
       UNION ALL SELECT t::text FROM tables.tables t WHERE org_id = $1 UNION ALL SELECT f::text FROM tables.frozen_tables f WHERE org_id = $1
       UNION ALL SELECT w::text FROM tables.workspaces w WHERE org_id = $1
       UNION ALL SELECT e::text FROM tables.exports e WHERE org_id = $1
       UNION ALL SELECT convert_from(data, 'UTF8') FROM tables.export_chunks WHERE org_id = $1
       UNION ALL SELECT j::text FROM jobs.jobs j WHERE org_id = $1
       UNION ALL SELECT r::text FROM runs.runs r WHERE org_id = $1
       UNION ALL SELECT s::text FROM runs.steps s JOIN runs.runs r ON r.id = s.run_id WHERE r.org_id = $1
       UNION ALL SELECT p::text FROM runs.plans p WHERE org_id = $1
       UNION ALL SELECT m::text FROM runs.monitors m WHERE org_id = $1
       UNION ALL SELECT e::text FROM runs.enrichments e WHERE org_id = $1
       UNION ALL SELECT s::text FROM runs.enrichment_steps s WHERE org_id = $1
       UNION ALL SELECT k::text FROM requests.keys k WHERE org_id = $1
       UNION ALL SELECT a::text FROM identity.audit_events a WHERE org_id = $1
       UNION ALL SELECT e::text FROM erasure.receipts e WHERE org_id = $1`,
      [ctx.orgId],
    );
    return JSON.stringify(rows).toLowerCase();
  }

  it.each([
    ['e-mail', ANN],
    ['LinkedIn address', { linkedin_url: SLUG }],
  ])("by %s covers every place, and nobody else's data", async (_what, named) => {
    const ctx = await organisation();
    await fill(ctx);
    const needle = 'email' in named ? /(?<!jo)ann@acme\.example/ : /in\/ann-example(?!-2)/;
    expect(await everythingOf(ctx)).toMatch(needle);
    const { erased } = JSON.parse(await erasure.erasePerson(ctx, named, null)) as {
      erased: Record<string, number>;
    };
    expect(erased).toMatchObject({
      rows: 1,
      frozen_rows: 1,
      exports: 1,
      lines: 1,
      runs: 1,
      plans: 1,
      // All steps of a run whose prompt names them, because a step may contain parts of the prompt.
      steps: 2,
      request_answers: 1,
      go_runs: 0,
      go_pages: 0,
      sent_rows: 0,
      contacts: 0,
      threads: 0,
      in_work: 0,
    });
    const left = await everythingOf(ctx);
    expect(left).not.toMatch(needle);
    expect(await query(ctx, 'SELECT prompt FROM runs.monitors WHERE org_id = $1', [ctx.orgId])).toEqual([
      { prompt: 'bob@acme.example' },
    ]);
    for (const other of ['bob@acme.example', 'joann@acme.example', 'in/ann-example-2'])
      expect(left).toContain(other);
    expect(await new CreditLedger(test.database).auditLedger(ctx)).toEqual([]);
  });

  it('by name and company finds first and last name in separate columns', async () => {
    const ctx = await organisation();
    const { tableId } = await fill(ctx);
    await query(
      ctx,
      `UPDATE tables.rows r SET cell_values = $2 FROM tables.tables t WHERE t.id = $1 AND r.row_set = t.row_set AND r.position = 0`,
      [tableId, JSON.stringify({ name: 'Zoé', email: 'Müller', linkedin: 'ACME, Inc.' })],
    );
    const receipt = await erasure.eraseEverywhere(ctx, { name: 'Zoe Muller', company: 'Acme Inc' });
    expect(receipt.erased).toMatchObject({ rows: 1, frozen_rows: 0, lines: 0 });
  });

  it('keeps position, id and verdict of a row, so that pages and counts stay right', async () => {
    const ctx = await organisation();
    const { tableId } = await fill(ctx);
    const rows = () =>
      query(
        ctx,
        `SELECT r.position, r.id, r.fit ->> 'status' AS fit FROM tables.rows r JOIN tables.tables t ON t.row_set = r.row_set
         WHERE t.id = $1 ORDER BY r.position`,
        [tableId],
      );
    const before = await rows();
    await erasure.erasePerson(ctx, ANN, null);
    expect(await rows()).toEqual(before);
    const erased = await query(
      ctx,
      `SELECT r.cell_values, r.cells, r.fit FROM tables.rows r JOIN tables.tables t ON t.row_set = r.row_set WHERE t.id = $1 AND r.position = 1`,
      [tableId],
    );
    expect(erased).toEqual([
      {
        cell_values: { name: null, email: null, linkedin: null },
        cells: {},
        fit: { status: 'qualified', score: 1, reason: null, criteria: [] },
      },
    ]);
  });

  it('covers the mode of the key over the API, both modes for an operator, and no other organisation', async () => {
    const [ctx, other] = [await organisation(), await organisation()];
    const trial = { ...ctx, mode: 'test' as const };
    await fill(ctx);
    await fill(trial);
    await fill(other);
    const before = await everythingOf(other);
    await erasure.erasePerson(trial, ANN, null);
    expect((await erasure.eraseEverywhere(ctx, ANN)).erased).toMatchObject({ rows: 1, lines: 1 });
    expect((await erasure.eraseEverywhere(ctx, ANN)).erased).toMatchObject({
      rows: 0,
      lines: 0,
      runs: 0,
      steps: 0,
    });
    expect(await everythingOf(other)).toBe(before);
  });

  it('leaves rows that are in work, and reports them', async () => {
    const ctx = await organisation();
    const { runId } = await fill(ctx);
    await query(ctx, "UPDATE runs.runs SET status = 'queued', ended_at = NULL WHERE id = $1", [runId]);
    await query(
      ctx,
      `WITH open AS (UPDATE jobs.jobs SET state = 'queued', result = NULL, provider = NULL, completed_at = NULL
         WHERE org_id = $1 AND input_index = 0 RETURNING batch_id)
       UPDATE jobs.batches SET open_lines = 1, completed_at = NULL WHERE id IN (SELECT batch_id FROM open)`,
      [ctx.orgId],
    );
    const { erased } = await erasure.eraseEverywhere(ctx, { linkedin_url: SLUG });
    expect(erased).toMatchObject({ in_work: 2, lines: 0, runs: 0, steps: 0, rows: 1 });
  });

  it.each(['run', 'enrichment', 'line'] as const)(
    'is completed after open work ends that writes the person later: %s',
    async (kind) => {
      const ctx = await organisation();
      const { tableId, runId } = await fill(ctx);
      // Claimed: its findings are only in memory.
      const open = {
        run: "UPDATE runs.runs SET status = 'running', ended_at = NULL, prompt = 'Find people', output = NULL WHERE id = $1",
        enrichment: `INSERT INTO runs.enrichments (org_id, mode, id, workspace_id, table_id, columns, row_ids, call_scope, is_fresh, not_covered,
          credits_max, status) SELECT org_id, mode, 'enr_' || id, workspace_id, 'tbl', '[]', '{}', '', FALSE, 0, 0, 'running' FROM runs.runs WHERE id = $1`,
        line: `WITH open AS (UPDATE jobs.jobs SET state = 'queued', input = '{}', result = NULL, provider = NULL, completed_at = NULL
          WHERE org_id = (SELECT org_id FROM runs.runs WHERE id = $1) AND input_index = 0 RETURNING batch_id)
          UPDATE jobs.batches SET open_lines = 1, completed_at = NULL WHERE id IN (SELECT batch_id FROM open)`,
      }[kind];
      await query(ctx, open, [runId]);
      const { message } = JSON.parse(await erasure.erasePerson(ctx, ANN, null)) as { message: string };
      expect(message).toContain('erased');
      expect(await erasure.followOne()).toBe(false);
      // It writes a row, a step or a response, and ends.
      const row = { values: { name: 'Ann', email: 'ann@acme.example', linkedin: null } };
      await (await openTables(test.database)).writer.appendRows(ctx, tableId, [{ id: newId('row'), ...row }]);
      const ends = {
        run: `WITH step AS (INSERT INTO runs.steps (run_id, name, position, input, result, finished_at)
          VALUES ($1, 'found', 9, '{"email": "ann@acme.example"}', '{}', clock_timestamp()))
          UPDATE runs.runs SET status = 'completed', ended_at = clock_timestamp(), output = '{"email": "ann@acme.example"}' WHERE id = $1`,
        enrichment: `WITH step AS (INSERT INTO runs.enrichment_steps (org_id, enrichment_id, name, input, result)
          SELECT org_id, id, 'rows-0', '{}', '{"email": "ann@acme.example", "cells": 1}' FROM runs.enrichments WHERE id = 'enr_' || $1)
          UPDATE runs.enrichments SET status = 'completed', ended_at = clock_timestamp(),
            columns = '[{"key": "a", "inputs": {"email": {"value": "ann@acme.example"}}}]' WHERE id = 'enr_' || $1`,
        line: `WITH ended AS (UPDATE jobs.jobs SET state = 'completed', result = '{"found": true, "email": "ann@acme.example"}', provider = 'spec',
          reuse_key = 'again', completed_at = clock_timestamp() WHERE org_id = (SELECT org_id FROM runs.runs WHERE id = $1) AND input_index = 0 RETURNING batch_id)
          UPDATE jobs.batches SET open_lines = 0, completed_at = clock_timestamp() WHERE id IN (SELECT batch_id FROM ended)`,
      }[kind];
      await query(ctx, ends, [runId]);
      expect(await everythingOf(ctx)).toMatch(/(?<!jo)ann@acme\.example/);
      expect(await erasure.followOne()).toBe(true);
      expect(await everythingOf(ctx)).not.toMatch(/(?<!jo)ann@acme\.example/);
      expect(await erasure.followOne()).toBe(false);
    },
  );

  it('leaves a receipt and an event without the person, and replays them for a repeated idempotency key', async () => {
    const ctx = await organisation();
    await fill(ctx);
    const first = await erasure.erasePerson(ctx, ANN, 'erase-1');
    expect(await erasure.erasePerson(ctx, ANN, 'erase-1')).toBe(first);
    const { receipt_id: id } = JSON.parse(first) as { receipt_id: string };
    const receipts = await query(
      ctx,
      'SELECT id, state, subject_kind FROM erasure.receipts WHERE org_id = $1',
      [ctx.orgId],
    );
    expect(receipts).toEqual([{ id, state: 'done', subject_kind: 'email' }]);
    const [event] = await new AuditLog(test.database).listEntries(ctx, 1);
    expect(event).toMatchObject({ action: 'person.erased', object: id, facts: { by: 'email', rows: 1 } });
  });

  it.each([[{}], [{ email: 'x' }], [{ email: 'a@b.example', name: 'Ann Example' }]])(
    'refuses %j',
    async (named) => {
      const refused = erasure.erasePerson(testCtx('org_refused'), named, null);
      await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );
});

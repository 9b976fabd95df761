import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createOrganisation, migratedDatabase } from '@quarry/composition';
import { CreditLedger } from '@quarry/credit-ledger';
import { newId, systemCtx } from '@quarry/platform';
import { BatchStore } from '@quarry/service-jobs';
import { openCluster } from './harness/servers.mjs';
import pg from 'pg';
const life = { parts: [], async open(n, o, c) { const p = await o(); this.parts.push(() => c(p)); return p; } };
const { url } = await openCluster(life);
const database = await migratedDatabase(url, 'bench');
const { orgId } = await createOrganisation(database, { name: 'B', credits: 10_000_000 });
const ctx = systemCtx('bench', orgId);
const client = new pg.Client({ connectionString: url }); await client.connect();
if (process.argv[2]) await client.query(readFileSync(process.argv[2], 'utf8'));
await client.query('set track_functions=all').catch(()=>0);
const pid = (await client.query('select pg_backend_pid() p')).rows[0].p;
const cpu = () => { const f = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' '); return (Number(f[11]) + Number(f[12])) * 10000; };
let people = 0; let jobIds = [];
const batches = new BatchStore(database, new CreditLedger(database), async (_, ids) => void jobIds.push(...ids));
const RESULT = { found: true, email: 'ada@bench.example', status: 'verified', confidence: 'high', provider: 'none' };
for (let round = 0; round < 3; round++) {
  jobIds = [];
  for (let i = 0; i < 5000; i += 100) await batches.create(ctx, { service: 'getEmail', inputs: Array.from({ length: 100 }, () => ({ first_name: `A${++people}`, last_name: 'B', domain: 'bench.example' })) });
  await client.query('ANALYZE'); await client.query('CHECKPOINT');
  const t = { claim: [0, 0], start: [0, 0], settle: [0, 0] };
  const timed = async (k, f) => { const a = performance.now(), c = cpu(); const r = await f(); t[k][0] += performance.now() - a; t[k][1] += cpu() - c; return r; };
  const before = (await client.query(`select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname='jobs'`)).rows[0];
  for (let i = 0; i < jobIds.length; i += 50) {
    const ids = jobIds.slice(i, i + 50);
    const claims = ids.map((id) => ({ id, token: randomUUID(), hold: newId('hold') }));
    await timed('claim', () => client.query('SELECT * FROM jobs.claim_jobs($1::jsonb, $2, 2, 5)', [JSON.stringify(claims), 30000]));
    const pairs = JSON.stringify(claims.map(({id,token})=>({id,token})));
    await timed('start', () => client.query(`UPDATE jobs.jobs j SET state = 'running', attempt = j.attempt + 1, started_at = coalesce(j.started_at, clock_timestamp())
       FROM jsonb_to_recordset($1::jsonb) AS c (id text, token text)
       WHERE j.id = c.id AND j.lease_token = c.token AND j.state IN ('queued', 'running')
         AND j.lease_until > clock_timestamp() RETURNING j.id`, [pairs]));
    const ends = claims.map(({ id, token }) => ({ id, token, state: 'completed', result: RESULT, provider: 'none', charge: 1000 }));
    const r = await timed('settle', () => client.query('SELECT jobs.settle_jobs($1::jsonb)', [JSON.stringify(ends)]));
    if (r.rows.length !== 50) console.log('ONLY', r.rows.length);
  }
  await client.query('select pg_stat_force_next_flush()'); 
  const after = (await client.query(`select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname='jobs'`)).rows[0];
  console.log('us per line: wall(cpu)', Object.entries(t).map(([k, [w, c]]) => `${k} ${(w * 1000 / 5000).toFixed(0)}(${(c / 5000).toFixed(0)})`).join('  '), 'hot', after.n_tup_hot_upd - before.n_tup_hot_upd, 'of', after.n_tup_upd - before.n_tup_upd);
}
console.log((await client.query('select funcname, calls, round(total_time::numeric/calls,2) total, round(self_time::numeric/calls,2) self from pg_stat_user_functions where schemaname in (\'jobs\',\'credits\') order by 1')).rows.map(r=>Object.values(r).join(' ')).join('\n'));
await client.end(); await database.close(); for (const c of life.parts.reverse()) await c();
process.exit(0);

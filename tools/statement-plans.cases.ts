import { createHash } from 'node:crypto';
import { NEWEST_TABLE, type PlanOrganisation } from './statement-plans.seeds.js';

export interface PlanCase {
  name: string;
  /** Purpose of this case, if the statement has several. */
  as?: string;
  params: readonly unknown[];
  /** Number of rows that it processes, if it returns fewer. */
  finds?: number;
  /** Number of rows that an offset skips or that are compared: index steps, which read no row. */
  passes?: number;
  /** True for a statement of the system, without an organisation. */
  isSystem?: true;
  /**
   * True if it reads more without statistics, when indexes with a common prefix look alike and a sort looks cheap. A table of
   * that size has statistics within a minute.
   */
  readsMoreWithoutStatistics?: true;
}

/** Libraries whose statements are checked. */
export const PLAN_LIBRARIES = [
  'libs/domains/credit-ledger',
  'libs/domains/enrichments',
  'libs/domains/events',
  'libs/domains/research',
  'libs/domains/identity',
  'libs/domains/monitors',
  'libs/domains/outreach',
  'libs/domains/runs',
  'libs/domains/service-jobs',
  'libs/domains/tables',
  'libs/domains/webhooks',
  'libs/edge/controllers',
];

/** Returns statements with parameters for an organisation that {@link planSeeds} has filled. */
export function planCases(
  { name: own, rows, firstRowSet: rowSet }: PlanOrganisation,
  workspaces: number,
): readonly PlanCase[] {
  const TENANT = [`org_${own}`, 'live'];
  const PAGE = 50;
  // Deep enough to show whether preceding rows are read, but not so deep that sorting all rows would be cheaper at this size.
  const DEEP = rows / 5;
  // Time of the middle row, and number of days after which all rows are old.
  const MIDDLE = new Date(Date.now() - 20 * 86_400_000 + (rows / 2) * 1000).toISOString();
  const DAYS = 10;

  // Number of the batch of a hundred lines that has some lines in this state.
  const BATCH_WITH = {
    any: rows / 200,
    queued: rows / 100,
    running: rows / 100,
    completed: rows / 200,
    failed: rows / 200,
    cancelled: 1,
  };
  const STATES = Object.keys(BATCH_WITH) as Array<keyof typeof BATCH_WITH>;

  const fifty = (name: (n: number) => string): string[] =>
    Array.from({ length: PAGE }, (_, i) => name(i * 20 + 61));
  const identities = fifty((n) => createHash('md5').update(`${n}`).digest('hex'));
  const running = JSON.stringify(
    Array.from({ length: 30 }, (_, i) => rows - 59 + i).map((n) => ({
      id: `job_${own}_${n}`,
      token: `token_${n}`,
      called: true,
    })),
  );
  const rowIds = fifty((n) => `row_${n}`);
  const nothing = fifty(() => '');
  const enrollments = fifty((n) => `enl_${own}_${String(n).padStart(7, '0')}`);
  const addresses = fifty((n) => `${n}@acme.com`);
  const domains = fifty((n) => `${n}.example.com`);
  /** Returns a statement that gets a list, and finds or writes all of it. */
  const ofList = (name: string, ...params: unknown[]): PlanCase => ({ name, params, finds: PAGE });

  const jobs = (
    state: string,
    as: string,
    service: string | null,
    offset = 0,
    batch: string | null = null,
  ): PlanCase => ({
    name: `batch-json.listJobs.${state}.${batch === null ? 'ofAll' : 'ofBatch'}`,
    as,
    params: [TENANT, state === 'any' ? null : state, service, batch, PAGE + 1, offset],
    passes: offset,
    ...(batch !== null && { finds: 100 }),
  });
  const runs = (as: string, workspace: string | null, conversation: string | null, offset = 0): PlanCase => ({
    name: 'run.list',
    as,
    params: [TENANT, workspace, '', conversation, PAGE + 1, offset],
    // The open workspaces are read once: here the organisation has thousands of them.
    passes: offset + workspaces,
  });
  const goRuns = (as: string, status: string | null, offset = 0, name = 'go-run.list'): PlanCase => ({
    name,
    as,
    params: [TENANT, status, PAGE + 1, offset],
    passes: offset,
  });
  const inPages = (name: string, offset: number, ...more: unknown[]): PlanCase => ({
    name,
    as: offset === 0 ? 'first page' : 'deep',
    params: [TENANT, PAGE, offset, ...more],
    finds: PAGE + 1,
    passes: offset,
  });
  const ledger = (
    as: string,
    service: string | null,
    batch: string | null,
    run: string | null,
  ): PlanCase => ({
    name: 'credit-statements.entries',
    as,
    params: [`org_${own}:live`, service, batch, run, null, null, PAGE + 1],
  });

  return [
    ...STATES.map((state) => jobs(state, 'first page', null)),
    ...STATES.map((state) => jobs(state, 'of a list', null, 0, `batch_${own}_${BATCH_WITH[state]}`)),
    jobs('any', 'deep', null, DEEP),
    jobs('any', 'of a service', 'getPhoneNumber'),
    jobs('any', 'of a service, deep', 'getEmail', DEEP),
    jobs('completed', 'deep', null, DEEP),
    jobs('completed', 'of a service, deep', 'getEmail', DEEP),
    jobs('failed', 'of a service, deep', 'getEmail', rows / 10),
    { name: 'batch-json.read', params: [TENANT, `batch_${own}_50`, []], finds: 100 },
    { name: 'batch-json.readState', params: [TENANT, `batch_${own}_50`] },
    { name: 'batch.endsOf', params: [TENANT, `batch_${own}_50`] },
    { name: 'batch.endedAmong', params: [fifty((n) => `batch_${own}_${(n % 99) + 1}`)] },
    ...[true, false].map((isJoin): PlanCase => ({
      name: 'line-matcher.findAnswers',
      as: isJoin ? 'of running jobs to join' : 'of all jobs to look at',
      params: [
        TENANT,
        'getEmail',
        fifty((n) => `share_${rows - (n % 30)}`),
        isJoin ? [] : fifty((n) => `reuse_${n + 1}`),
        30 * 86_400,
        isJoin,
      ],
    })),
    { name: 'job-lease.ownersOf', params: [fifty((n) => `job_${own}_${n}`)], isSystem: true },
    { name: 'job-lease.standing', params: [running], isSystem: true },
    { name: 'job-lease.renew', params: [running, 30_000], isSystem: true },
    { name: 'delivery-reconciler.takeSilent', params: ['getEmail', 0, PAGE, null], isSystem: true },
    // Including their lines, none of which may be open.
    { name: 'retention.findEndedBatches', params: [DAYS, PAGE], finds: PAGE * 100, isSystem: true },
    runs('first page', null, null),
    runs('deep', null, null, DEEP),
    runs('of a workspace, few of many', `ws_${own}_2`, null),
    runs('of a workspace, deep', `ws_${own}_1`, null, DEEP),
    { ...runs('of a conversation, few of many', null, `conv_${own}_2`), readsMoreWithoutStatistics: true },
    { name: 'run.read', params: [TENANT, `run_${own}_5000`, ''], readsMoreWithoutStatistics: true },
    { name: 'run-waiters.endedAmong', params: [fifty((n) => `run_${own}_${n}`)], isSystem: true },
    { name: 'run-lease.takeSilent', params: [0, 'agent-runs'], isSystem: true },
    { name: 'run-lease.reapLost', params: [3], isSystem: true },
    goRuns('first page', null),
    goRuns('deep', null, DEEP),
    goRuns('few of many', 'failed'),
    goRuns('of a status, deep', 'completed', DEEP),
    goRuns('first page', null, 0, 'go-run.listQuestions'),
    goRuns('deep', null, DEEP, 'go-run.listQuestions'),
    { name: 'go-waiters.endedAmong', params: [fifty((n) => `go_${own}_${n}`)], isSystem: true },
    inPages('workspaces.list', 0, ''),
    inPages('workspaces.list', (workspaces * 4) / 5, ''),
    inPages('tables.list', 0, `ws_${own}_1`),
    { name: 'tables.rows', params: [TENANT, `tbl_${own}_1`, PAGE, rows / 2], finds: PAGE },
    inPages('exclusions.list', 0, 'companies'),
    inPages('exclusions.list', DEEP, 'companies'),
    {
      name: 'exclusion-matcher.findExcluded',
      params: [
        TENANT,
        'companies',
        fifty((n) => `${n}.example.com`),
        fifty(() => 'https://www.linkedin.com/company/none'),
      ],
    },
    ledger('first page', null, null, null),
    ledger('of a service', 'getPhoneNumber', null, null),
    ledger('of a list', null, `batch_${own}_50`, null),
    ledger('of a run', null, null, `run_${own}_2`),
    {
      name: 'credit-statements.entries',
      as: 'deep',
      params: [`org_${own}:live`, null, null, null, MIDDLE, '', PAGE + 1],
    },
    // One row per batch.
    {
      name: 'credit-statements.chargesOfRuns',
      params: [`org_${own}:live`, [`run_${own}_2`], MIDDLE],
      finds: rows / 100,
    },
    { name: 'event-log.readSubject', params: [TENANT, `run_${own}_7`, 10, null, PAGE] },
    { name: 'event-log.readFeed', params: [TENANT, '0', 0, null, PAGE] },
    {
      name: 'event-log.readSubjects',
      params: [
        `org_${own}`,
        JSON.stringify([{ reader: 0, mode: 'live', subject: `run_${own}_7`, seq: 10 }]),
        PAGE,
      ],
    },
    {
      name: 'event-log.readFeeds',
      params: [`org_${own}`, JSON.stringify([{ reader: 0, mode: 'live', xid: '0', position: 0 }]), PAGE],
    },
    { name: 'event-log.findChanged', params: [[`org_${own}`], '0'] },
    { name: 'monitor.listRuns', params: [TENANT, `mon_${own}_1`, MIDDLE, PAGE + 1] },
    { name: 'monitor.listItems', params: [TENANT, `mon_${own}_1`, null, MIDDLE, '', PAGE + 1] },
    {
      name: 'sequence.list',
      as: 'first page',
      params: [TENANT, null, null, null, PAGE + 1],
      readsMoreWithoutStatistics: true,
    },
    {
      name: 'enrollment.list',
      as: 'deep',
      params: [TENANT, `seq_${own}_2`, null, `enl_${own}_0005000`, PAGE + 1],
    },
    {
      name: 'enrollment.list',
      as: 'few of many',
      params: [TENANT, `seq_${own}_1`, 'replied', `enl_${own}_0005000`, PAGE + 1],
      readsMoreWithoutStatistics: true,
    },
    { name: 'approval.list', as: 'deep', params: [TENANT, MIDDLE, '', PAGE + 1] },
    { name: 'suppression.list', as: 'deep', params: [TENANT, MIDDLE, '', null, PAGE + 1] },
    {
      name: 'thread.list',
      as: 'deep',
      params: [TENANT, MIDDLE, '', null, null, null, null, null, PAGE + 1, null],
    },
    { name: 'thread.messages', params: [TENANT, `thr_${own}_50`, null, null, PAGE + 1] },
    {
      name: 'sequence-audience.contacts',
      params: [TENANT, `seq_${own}_2`, `enl_${own}_0005000`, null, PAGE],
    },
    { name: 'sequence-audience.addresses', params: [TENANT, `seq_${own}_2`, PAGE] },
    { name: 'enrollment.known', params: [TENANT, fifty((n) => `${n}@gone.com`), `seq_${own}_2`] },
    { name: 'suppression.among', params: [TENANT, fifty((n) => `${n}@gone.com`)] },
    ...[1, NEWEST_TABLE].flatMap((number): PlanCase[] => {
      const [table, set] = [`tbl_${own}_${number}`, [`org_${own}`, rowSet + number - 1]];
      const as = number === 1 ? 'of a table' : 'of a table that is newer than the statistics';
      return [
        ofList('enrichable-rows.read', ...set, rowIds, ['name']),
        ofList('enrichable-rows.markPending', ...set, ['email'], rowIds, '{"status":"pending"}'),
        ofList('enrichable-rows.skip', ...set, ['email'], rowIds, '{"status":"skipped"}'),
        ofList('table-reader.readChosen', ...set, rowIds),
        ofList(
          'table-reader.readPlaces',
          ...set,
          fifty((n) => `${n}`),
          1,
        ),
        ofList(
          'table-writer.appendRows',
          TENANT,
          table,
          set[1],
          '{}',
          JSON.stringify(rowIds.map((id) => ({ id, values: {} }))),
        ),
        ofList(
          'table-writer.updateRows',
          TENANT,
          set[1],
          JSON.stringify(Object.fromEntries(rowIds.map((id) => [id, { values: { name: 'x' } }]))),
        ),
        ofList(
          'table-writer.setFit',
          TENANT,
          table,
          set[1],
          JSON.stringify(Object.fromEntries(rowIds.map((id) => [id, { status: 'unknown' }]))),
        ),
        ofList('table-writer.arrangeRows', TENANT, table, set[1], rowIds),
      ].map((each) => ({ ...each, as }));
    }),
    ofList('exclusions.upsert', TENANT, 'companies', domains, nothing, 'api'),
    ofList('exclusions.deleteNamed', TENANT, 'companies', domains, nothing),
    ofList(
      'monitor-items.add',
      TENANT,
      `mon_${own}_1`,
      `run_${own}_3`,
      identities,
      nothing,
      nothing,
      nothing,
      fifty(() => 'true'),
      0,
    ),
    ofList('monitor-items.see', TENANT, `mon_${own}_1`, identities),
    ofList(
      'monitor-items.compare',
      TENANT,
      `mon_${own}_1`,
      identities,
      JSON.stringify(Object.fromEntries(identities.map((identity) => [identity, 'watched']))),
    ),
    ofList('contact-columns.markShown', `org_${own}`, 'live', enrollments, nothing),
    ofList('approval.spread', TENANT, `seq_${own}_2`, 'mbx_1', enrollments),
    {
      ...ofList(
        'inbound-mail.match',
        TENANT,
        'mbx_1',
        fifty((n) => `${n}@x`),
      ),
      readsMoreWithoutStatistics: true,
    },
    ofList(
      'verified-emails.find',
      TENANT,
      fifty((n) => `job_${own}_${n}`),
    ),
    { ...ofList('job-lease.start', running), isSystem: true },
    { ...ofList('job-lease.release', running), isSystem: true },
    ...['retention.deleteLines', 'retention.handOverJobs'].map((name): PlanCase => ({
      name,
      params: [[`batch_${own}_5`]],
      finds: 100,
      isSystem: true,
    })),
    // Jobs and batches with lines are not deleted.
    ...['retention.deleteJobs', 'retention.deleteBatches'].map((name): PlanCase => ({
      name,
      params: [fifty((n) => `none_${n}`)],
      finds: PAGE,
      isSystem: true,
    })),
    {
      name: 'run-retention.deleteRuns',
      params: [fifty((n) => `run_${own}_${n}`)],
      finds: PAGE,
      isSystem: true,
    },
    {
      name: 'outreach-retention.deleteThreads',
      params: [fifty((n) => `thr_${own}_${n + 200}`), DAYS],
      finds: PAGE,
      isSystem: true,
    },
    {
      ...ofList(
        'webhook-lease.settle',
        `org_${own}`,
        'live',
        `whk_${own}_2`,
        'token',
        1000,
        JSON.stringify(
          fifty((n) => `whd_${String(n).padStart(7, '0')}`).map((id) => ({
            id,
            outcome: 'delivered',
            at: MIDDLE,
            durationMs: 1,
          })),
        ),
        true,
        0,
        false,
        1,
        5,
      ),
      readsMoreWithoutStatistics: true,
    },
    { name: 'webhook-delivery.list', params: [TENANT, `whk_${own}_2`, 'whd_0005000', PAGE + 1] },
    ofList('push-classifier.sent', TENANT, `dst_${own}_2`, addresses),
    { name: 'push.list', params: [TENANT, `dst_${own}_2`, `psh_${own}_0005000`, PAGE + 1] },
    {
      name: 'push.failures',
      params: [TENANT, `dst_${own}_1`, `psh_${own}_0000001`, 'row_0005000', PAGE + 1],
    },
    { name: 'audit-log.list', params: [`org_${own}`, PAGE], readsMoreWithoutStatistics: true },
    { name: 'audit-pages.list', params: [`org_${own}`, rows / 2, PAGE], readsMoreWithoutStatistics: true },
    // Everything that is open, in one row.
    ...[null, Date.now() / 1000].map((since): PlanCase => ({
      name: 'tenant-changes.find',
      as: since === null ? 'first' : 'again',
      params: [`org_${own}`, since],
      finds: 30,
      readsMoreWithoutStatistics: true,
    })),
  ];
}

const BACKLOG =
  'Of a backlog, which the planner takes for a few rows behind row-level security, it sorts all that are due; usually few are.';

const NEW = 'It only writes what is new.';
const FEW = 'Of these an organisation has few.';
const ERASURE = 'An erasure goes through everything.';

/** Statements that are not checked, each with the reason; a name with `*` is a prefix. */
export const READS_MORE: Readonly<Record<string, string>> = {
  'tables.find': 'A name may hold the words anywhere, and an organisation has hundreds of tables.',
  'credit-statements.usage': 'It sums the charges of up to 90 days, by the index of their times.',
  'enrichable-rows.choose': 'It is asked once for an enrichment, of one table, and any row may lack a value.',
  'column-lookups.works':
    'It is asked when somebody opens a column, and passes the runs of one workspace that made other tables.',
  'retention.emptyLines': BACKLOG,
  'run-retention.emptyRuns': BACKLOG,
  'go-retention.deleteRuns': BACKLOG,
  'event-retention.deleteEvents': BACKLOG,
  'run-retention.findDueRuns': 'It looks for what has no workspace any more, in the background.',
  'mailbox.list': 'An organisation has fifty mailboxes at most.',
  'inbox-reader.sinkMails': 'It goes on from a mail, by the key of one mailbox of test mode.',
  'contact-columns.changed': 'What a table does not show yet stands in an index of its own, and little does.',
  'erase-from-*': ERASURE,
  'idempotent-requests.findAbout*': ERASURE,
  'suppression.concerned': 'It compares a list with everybody who is still written to, once.',
  'exclusions.planSync': 'It compares all that a source has named with its new list.',
  'suppression.insertMany': NEW,
  'enrollment.insert': NEW,
  'line-matcher.insertBatch': NEW,
  'destination-lease.settle': NEW,
  'sequence.mailboxes': FEW,
  'sequence-audience.senders': FEW,
  'sequence-preview.senders': FEW,
  'session-finder.openAmong': FEW,
  'enrichment-waiters.endedAmong': 'As run-waiters.endedAmong does, by the key.',
  'run-retention.deleteSteps': 'It deletes by the key of a few ended runs.',
  'identity.findOpenKeys': FEW,
  'login-attempts.*': 'What is counted goes within a day.',
};

/** How an operation is called by the clients: a method of the SDK with its arguments, and a command. */
export interface ClientCall {
  /**
   * Method of `new Quarry()`. Its arguments are the parameters of the path and then the body; others stand behind it, with
   * `{name}` for a parameter of the path and `{body}` or `{body.name}` for what is sent.
   */
  sdk: string;
  /** Arguments of `quarry`; null where only `quarry api` does the same. */
  command?: string;
}

/** By the name of the operation. Complete: a spec compares it with the description, the SDK and the command. */
export const CLIENT_CALLS: Readonly<Record<string, ClientCall>> = {
  createPlan: { sdk: 'plans.create' },
  getIntentSchema: { sdk: 'plans.getSchema' },
  getPlan: { sdk: 'plans.get' },
  createRunOfPlan: { sdk: 'plans.run' },
  createRun: { sdk: 'runs.create', command: 'run {body.prompt} --max-credits 25' },
  listRuns: { sdk: 'runs.list', command: 'run list' },
  getRun: { sdk: 'runs.get', command: 'run get {id}' },
  cancelRun: { sdk: 'runs.cancel', command: 'run cancel {id}' },
  getRunSteps: { sdk: 'runs.getSteps' },
  getRunOutput: { sdk: 'runs.getOutput' },
  listFrozenRows: { sdk: 'runs.listOutputRows' },
  listRunEvents: { sdk: 'runs.followEvents', command: 'run follow {id}' },
  listGoRunEvents: { sdk: 'go.followEvents' },
  listBatchEvents: { sdk: 'batches.followEvents' },
  listEvents: { sdk: 'events.list', command: 'events list' },
  createEnrichment: { sdk: 'tables.enrich' },
  getEnrichment: { sdk: 'enrichments.get' },
  cancelEnrichment: { sdk: 'enrichments.cancel' },
  createExport: { sdk: 'runs.createExport' },
  createTableExport: { sdk: 'tables.createExport', command: 'tables export {id} -o table.csv' },
  createExportLink: { sdk: 'exports.createLink', command: 'tables export {id} --link' },
  downloadExport: { sdk: 'exports.download' },
  listWorkspaces: { sdk: 'workspaces.list' },
  createWorkspace: { sdk: 'workspaces.create' },
  getWorkspace: { sdk: 'workspaces.get' },
  archiveWorkspace: { sdk: 'workspaces.archive' },
  listTables: { sdk: 'workspaces.listTables', command: 'tables list --workspace {id}' },
  importTable: { sdk: 'workspaces.importTable' },
  importFile: {
    sdk: "workspaces.importFile({id}, await openAsBlob('leads.csv', { type: 'text/csv' }), { name: 'Leads' })",
    command: 'tables import leads.csv --workspace {id}',
  },
  findTables: { sdk: 'tables.list', command: 'tables list' },
  getTable: { sdk: 'tables.get', command: 'tables get {id}' },
  listRows: { sdk: 'tables.listRows', command: 'tables rows {id}' },
  readWindow: { sdk: 'tables.readWindow' },
  createView: { sdk: 'tables.createView' },
  getRow: { sdk: 'tables.getRow' },
  getCell: { sdk: 'tables.getCell' },
  erasePerson: { sdk: 'exclusions.erasePerson' },
  listExclusions: { sdk: 'exclusions.list', command: 'exclusions list {kind}' },
  addExclusions: { sdk: 'exclusions.add', command: 'exclusions add {kind} acme.example' },
  deleteExclusions: { sdk: 'exclusions.delete', command: 'exclusions remove {kind} acme.example' },
  removeExclusions: { sdk: 'exclusions.delete', command: 'exclusions remove {kind} acme.example' },
  syncExclusions: { sdk: 'exclusions.sync', command: 'exclusions sync {kind} customers.csv' },
  createBatch: {
    sdk: 'batches.create({body.service}, {body.inputs})',
    command: 'list {body.service} leads.csv',
  },
  getBatch: { sdk: 'batches.get' },
  cancelBatch: { sdk: 'batches.cancel' },
  listJobs: { sdk: 'jobs.list' },
  getTrail: { sdk: 'jobs.getTrail' },
  listServices: { sdk: 'services.list', command: 'services' },
  getService: { sdk: 'services.get', command: 'services {name}' },
  runService: { sdk: 'services.call', command: 'call {name} --input input.json' },
  getCredits: { sdk: 'credits.get', command: 'credits' },
  getLimits: { sdk: 'credits.getLimits', command: 'limits' },
  estimateBatch: { sdk: 'credits.estimate', command: 'list {body.service} leads.csv --dry-run' },
  getCreditUsage: { sdk: 'credits.getUsage' },
  listLedger: { sdk: 'credits.listLedger', command: 'credits ledger' },
  runGo: { sdk: 'go.run', command: 'go {body.prompt}' },
  createGoRun: { sdk: 'go.create' },
  listGoRuns: { sdk: 'go.list' },
  getGoRun: { sdk: 'go.get', command: 'go get {id}' },
  cancelGoRun: { sdk: 'go.cancel', command: 'go cancel {id}' },
  listProviders: { sdk: 'providers.list', command: 'providers' },
  setProvider: { sdk: 'providers.set' },
  deleteProvider: { sdk: 'providers.delete' },
  createWebhook: { sdk: 'webhooks.create', command: 'webhooks create {body.url}' },
  listWebhooks: { sdk: 'webhooks.list', command: 'webhooks list' },
  getWebhook: { sdk: 'webhooks.get' },
  changeWebhook: { sdk: 'webhooks.update' },
  deleteWebhook: { sdk: 'webhooks.delete', command: 'webhooks delete {id}' },
  rotateWebhook: { sdk: 'webhooks.rotate' },
  testWebhook: { sdk: 'webhooks.test', command: 'webhooks test {id}' },
  listWebhookDeliveries: { sdk: 'webhooks.listDeliveries', command: 'webhooks deliveries {id}' },
  redeliverWebhook: { sdk: 'webhooks.redeliver', command: 'webhooks redeliver {id} {delivery_id}' },
  replayWebhook: { sdk: 'webhooks.replay' },
  createMonitor: {
    sdk: 'monitors.create',
    command: 'monitors create {body.prompt} --cron "0 9 * * 1" --time-zone Europe/Berlin',
  },
  listMonitors: { sdk: 'monitors.list', command: 'monitors list' },
  getMonitor: { sdk: 'monitors.get', command: 'monitors get {id}' },
  changeMonitor: { sdk: 'monitors.update' },
  deleteMonitor: { sdk: 'monitors.delete', command: 'monitors delete {id}' },
  pauseMonitor: { sdk: 'monitors.pause', command: 'monitors pause {id}' },
  resumeMonitor: { sdk: 'monitors.resume', command: 'monitors resume {id}' },
  triggerMonitor: { sdk: 'monitors.trigger', command: 'monitors trigger {id}' },
  listMonitorRuns: { sdk: 'monitors.listRuns', command: 'monitors runs {id}' },
  listMonitorItems: { sdk: 'monitors.listItems', command: 'monitors items {id}' },
  createDestination: { sdk: 'destinations.create' },
  listDestinations: { sdk: 'destinations.list', command: 'destinations list' },
  getDestination: { sdk: 'destinations.get' },
  changeDestination: { sdk: 'destinations.update' },
  deleteDestination: { sdk: 'destinations.delete', command: 'destinations delete {id}' },
  previewPush: { sdk: 'destinations.preview', command: 'destinations preview {id} {body.table_id}' },
  createPush: { sdk: 'destinations.push', command: 'destinations push {id} {body.table_id}' },
  listPushes: { sdk: 'destinations.listPushes', command: 'destinations pushes {id}' },
  getPush: { sdk: 'destinations.getPush' },
  listPushFailures: { sdk: 'destinations.listFailures' },
};

/** @returns how an operation is called by the clients. @param path as in the description, such as `/services/scrapeUrl` */
export function clientCallOf(operationId: string, path: string): ClientCall | null {
  const [, service] = /^\/services\/(\w+)$/.exec(path) ?? [];
  if (service)
    return { sdk: `services.call('${service}', {body})`, command: `call ${service} --input input.json` };
  return CLIENT_CALLS[operationId] ?? null;
}

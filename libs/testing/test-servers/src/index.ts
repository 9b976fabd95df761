export { CompanySites } from './company-sites.js';
export { COMPANY_SITES, WRITTEN_SITES, type CompanySite } from './company-sites.catalogue.js';
export { installDebianPackages } from './debian-packages.js';
export { printMeasurement } from './print-measurement.js';
export { FactSites } from './fact-sites.js';
export { HttpSite, listenLocally } from './http-site.js';
export { ImapServer } from './imap-server.js';
export { MailServer } from './mail-server.js';
export { NetworkNamespace } from './network-namespace.js';
export { NameServer, type NameRecord } from './name-server.js';
export { ScriptedSmtpServer, type SmtpPoint, type SmtpTurn } from './scripted-smtp-server.js';
export { RealMailServers } from './real-mail-servers.js';
export { SmallDisk } from './small-disk.js';
export { TcpBalancer } from './tcp-balancer.js';
export { TcpFaultProxy } from './tcp-fault-proxy.js';
export { TestAuthority } from './test-authority.js';
export { openTestDatabase, type OpenedTestDatabase, type TestDatabaseOptions } from './test-database.js';
export { onAdmin, startTestPostgres, TEMPLATE_DATABASE, type TestPostgres } from './test-postgres.js';
export { OwnRedis, startTestRedis, type TestRedis } from './test-redis.js';
export { measureMedian, measureThread } from './thread-time.js';
export { TraceCollector, type CollectedSpan } from './trace-collector.js';
export { waitFor } from './wait-for.js';
export { findPgBouncer, PgBouncer, type PgBouncerProgram } from './pg-bouncer.js';
export { TransactionPooler } from './transaction-pooler.js';
export {
  VendorSimulator,
  type SimulatedVendorCall,
  type VendorExchange,
  type VendorReply,
} from './vendor-simulator.js';
export { TEXT_CPU_MS_MAX, worstAnswers, worstTexts } from './worst-texts.js';
export { status, WebhookReceiver, type ReceivedWebhook, type WebhookReply } from './webhook-receiver.js';
export { WebServers } from './web-servers.js';
export {
  callOf,
  MODEL_TOKENS,
  ModelServer,
  type ModelRequest,
  type ModelScript,
  type ModelTurn,
} from './model-server.js';

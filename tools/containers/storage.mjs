// PostgreSQL and Redis, which are the operator's in a cluster, where pods reach them; and the Secrets that lead there.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresServer } from '@quarry/local-postgres';
import { ROLES } from '@quarry/platform';
import { OwnRedis } from '@quarry/test-servers';

/** May do nothing but what the owner of a database may. */
const OWNER = 'quarry_owner';
const POSTGRES_PORT = 5432;
const REDIS_PORT = 6379;

export class Storage {
  /** @param folder empty. @param network PodNetwork */
  static async start(folder, network) {
    const storage = new Storage();
    mkdirSync(folder);
    storage.postgres = await PostgresServer.start({
      dir: join(folder, 'postgres'),
      // Nothing here must survive a crash of the machine, so the disk is not waited for.
      settings: ['fsync=off', 'max_connections=400'],
    });
    storage.redis = await OwnRedis.start();
    const { port, password } = new URL(storage.postgres.url('postgres'));
    const redisPort = Number(new URL(storage.redis.url).port);
    storage.password = password;
    storage.database = await network.lead(POSTGRES_PORT, Number(port));
    storage.queues = `redis://${await network.lead(REDIS_PORT, redisPort)}/0`;
    await storage.asAdministrator(`CREATE ROLE ${OWNER} LOGIN PASSWORD '${password}'`);
    return storage;
  }

  /** An empty database. @returns values of Secrets by name and key for it, as docs/operations.md has the operator make them */
  async makeDatabase(name) {
    await this.asAdministrator(`CREATE DATABASE ${name} OWNER ${OWNER}`);
    const urlOf = (user) => `postgres://${user}:${this.password}@${this.database}/${name}`;
    const secret = (letter) => letter.repeat(64);
    return {
      'quarry-database': {
        owner_url: urlOf(OWNER),
        serving_url: urlOf(ROLES.serving),
        working_url: urlOf(ROLES.working),
        metrics_url: urlOf(ROLES.metrics),
      },
      'quarry-keys': { rpc_secrets: secret('r'), cursor_secret: secret('c'), secrets_key: secret('s') },
      'quarry-queues': { url: this.queues, redis_url: this.queues },
      // Keys of vendors: what is in it shows that all variables of a Secret arrive.
      'quarry-providers': { HUNTER_KEY: secret('h') },
      // Of a language model. It may be missing, and is.
      'quarry-model': null,
    };
  }

  /** What an operator does once the first migration has made the roles. */
  async letRolesIn() {
    for (const role of Object.values(ROLES))
      await this.asAdministrator(`ALTER ROLE ${role} LOGIN PASSWORD '${this.password}'`);
  }

  async asAdministrator(sql) {
    const client = new pg.Client({ connectionString: this.postgres.url('postgres') });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }

  async stop() {
    await this.redis.stop();
    await this.postgres.stop();
  }
}

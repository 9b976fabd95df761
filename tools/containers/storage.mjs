// PostgreSQL and Redis, which are the operator's in a cluster, where pods reach them; and the Secrets that lead there.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { PostgresServer } from '@quarry/local-postgres';
import { ROLES } from '@quarry/postgres';
import { OwnRedis } from '@quarry/test-servers';

/** May do nothing but what the owner of a database may. */
const OWNER = 'quarry_owner';
const POSTGRES_PORT = 5432;
const REDIS_PORT = 6379;

export class Storage {
  /** @param folder empty. @param network PodNetwork */
  async start(folder, network) {
    mkdirSync(folder);
    this.postgres = await PostgresServer.start({
      dir: join(folder, 'postgres'),
      // Nothing here must survive a crash of the machine, so the disk is not waited for.
      settings: ['fsync=off', 'max_connections=400'],
    });
    this.redis = await OwnRedis.start();
    const { port, password } = new URL(this.postgres.url('postgres'));
    const redisPort = Number(new URL(this.redis.url).port);
    this.password = password;
    this.database = await network.lead(POSTGRES_PORT, Number(port));
    this.queues = `redis://${await network.lead(REDIS_PORT, redisPort)}/0`;
    await this.asAdministrator(`CREATE ROLE ${OWNER} LOGIN PASSWORD '${password}'`);
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

  /** Gives the roles their passwords, as an operator does once the first migration has made them. */
  async letRolesIn() {
    for (const role of Object.values(ROLES))
      await this.asAdministrator(`ALTER ROLE ${role} LOGIN PASSWORD '${this.password}'`);
  }

  async asAdministrator(sql) {
    const client = new pg.Client({ connectionString: this.postgres.url('postgres') });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  }
}

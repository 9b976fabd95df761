import { Injectable } from '@nestjs/common';
import {
  Destination,
  DestinationList,
  DESTINATIONS_MAX,
  DESTINATIONS_RPC,
  fieldError,
  jsonText,
  requireExpected,
  type ChangeDestinationRequest,
  type CreateDestinationRequest,
  type DestinationKind,
  type JsonText,
  type ResourceOf,
} from '@quarry/dto';
import { newId, SealedSecrets, notFound, type Ctx, type SecretBinding } from '@quarry/app';
import {
  Database,
  IdempotentRequests,
  isoTime,
  lockTenant,
  ofTenant,
  recordAudit,
  TENANT,
  tenantOf,
} from '@quarry/postgres';
import { refuseDeleted } from '../deleted-since.js';
import { statement } from '../statements.types.js';
import { WebhookClient } from '../webhook.client.js';
import type { DestinationSettings } from './destination-template.js';
import { TEMPLATES } from './destination-templates.js';
import type { Mapping } from './row-mapping.js';

const FIELDS_MAX = 100;
const NAME_CHARACTERS_MAX = 100;
const SIGNING_SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

/** A destination without its secret. */
export type KnownDestination = ResourceOf<JsonText<typeof Destination>>;

/** @returns the binding of a destination's secret: a sealed secret that is moved to another row does not open */
export function destinationBinding(
  { orgId, mode }: Pick<Ctx, 'orgId' | 'mode'>,
  destinationId: string,
): SecretBinding {
  return ['destination secret', orgId, mode, destinationId];
}

/** Destinations in the API: created, read, changed and deleted. */
@Injectable()
export class DestinationStore {
  constructor(
    private readonly database: Database,
    private readonly requests: IdempotentRequests,
    private readonly client: WebhookClient,
    private readonly secrets: SealedSecrets,
  ) {}

  /**
   * Creates a destination. The same key with the same body returns the same one.
   * @throws AppError invalid_request for settings, a mapping or a secret that do not fit the kind, for too many
   *   destinations, and if no secret can be sealed; idempotency_conflict
   */
  async createDestination(
    ctx: Ctx,
    body: CreateDestinationRequest,
    idempotencyKey: string | null,
  ): Promise<JsonText<typeof Destination>> {
    const { kind, name, secret, settings = {}, mapping } = body;
    if (ctx.mode === 'test' && kind !== 'webhook')
      throw fieldError(['kind'], 'must be webhook with a test key: rows of test mode are fictional');
    this.validateSettings(kind, settings);
    validateSecret(kind, secret);
    const mapped = mapping === undefined ? null : mappingOf(kind, mapping);
    if (!this.secrets.canSeal)
      throw fieldError([], 'destinations cannot be stored: the operator has not set ENCRYPTION_KEYS');
    const request = { route: DESTINATIONS_RPC.create.pattern, key: idempotencyKey, body };
    const { id } = await this.requests.inTransaction(ctx, request, async (tx) => {
      await lockTenant(this.database, tx, 'destinations');
      const id = newId('dst');
      const made = await this.database.queryOne(tx, INSERT, [
        tenantOf(tx),
        id,
        kind,
        name,
        JSON.stringify(settings),
        mapped && JSON.stringify(mapped),
        this.secrets.sealSecret(destinationBinding(tx, id), secret),
        DESTINATIONS_MAX,
      ]);
      if (!made)
        throw fieldError([], `there are already ${DESTINATIONS_MAX} destinations, which is the limit`);
      await recordAudit(this.database, tx, { action: 'destination.created', object: id, facts: { kind } });
      return { id };
    });
    return this.readDestination(ctx, id).catch(refuseDeleted);
  }

  /** @returns all destinations, in the order of creation */
  async listDestinations(ctx: Ctx): Promise<JsonText<typeof DestinationList>> {
    const items = await this.database.query(ctx, LIST, [tenantOf(ctx)], 'read');
    return jsonText(DestinationList, { items });
  }

  /** @throws AppError not_found */
  async readDestination(ctx: Ctx, destinationId: string): Promise<JsonText<typeof Destination>> {
    return jsonText(Destination, await this.findDestination(ctx, destinationId));
  }

  /** @throws AppError not_found */
  async findDestination(ctx: Ctx, destinationId: string): Promise<KnownDestination> {
    const row = await this.database.queryOne(ctx, READ, [tenantOf(ctx), destinationId], 'read');
    if (!row) throw notFound('dst');
    return row;
  }

  /** Changes the fields in the body; a running push continues with them. @throws AppError not_found, invalid_request, version_conflict */
  async changeDestination(
    ctx: Ctx,
    destinationId: string,
    { name, secret, mapping, overwrite, expected }: ChangeDestinationRequest,
  ): Promise<JsonText<typeof Destination>> {
    const { kind } = await this.findDestination(ctx, destinationId);
    if (secret !== undefined) validateSecret(kind, secret);
    if (overwrite !== undefined && !TEMPLATES[kind].existing)
      throw fieldError(['overwrite'], `does not apply to ${kind}`);
    const mapped = mapping == null ? null : JSON.stringify(mappingOf(kind, mapping));
    const sealed =
      secret === undefined ? null : this.secrets.sealSecret(destinationBinding(ctx, destinationId), secret);
    await this.database.transaction(ctx, async (tx) => {
      const known = await this.database.queryOne(tx, LOCK, [tenantOf(tx), destinationId]);
      if (!known) throw notFound('dst');
      requireExpected(known, expected);
      await this.database.query(tx, CHANGE, [
        tenantOf(tx),
        destinationId,
        name ?? null,
        mapped,
        sealed,
        overwrite ?? null,
        mapping === null,
      ]);
      const facts = { secret: secret !== undefined, mapping: mapping !== undefined };
      await recordAudit(this.database, tx, { action: 'destination.changed', object: destinationId, facts });
    });
    return this.readDestination(ctx, destinationId);
  }

  /** Deletes a destination with its pushes and records of sent rows. @throws AppError not_found */
  async removeDestination(ctx: Ctx, destinationId: string): Promise<void> {
    await this.database.transaction(ctx, async (tx) => {
      if (!(await this.database.queryOne(tx, REMOVE, [tenantOf(tx), destinationId]))) throw notFound('dst');
      await recordAudit(this.database, tx, { action: 'destination.deleted', object: destinationId });
    });
  }

  private validateSettings(kind: DestinationKind, settings: DestinationSettings): void {
    const { needs } = TEMPLATES[kind];
    for (const name of needs)
      if (settings[name] === undefined) throw fieldError(['settings', name], `is required for ${kind}`);
    const more = [
      ...(kind === 'webhook' ? ['rows_per_request'] : []),
      ...(TEMPLATES[kind].existing ? ['overwrite'] : []),
    ];
    for (const name of Object.keys(settings) as Array<keyof DestinationSettings>)
      if (settings[name] !== undefined && ![...needs, ...more].includes(name))
        throw fieldError(['settings', name], `does not apply to ${kind}`);
    if (settings.url === undefined) return;
    const refusal = this.client.refusalOf(settings.url);
    if (refusal !== null) throw fieldError(['settings', 'url'], `cannot be used: ${refusal}`);
  }
}

function validateSecret(kind: DestinationKind, secret: string): void {
  if (kind === 'webhook' && !SIGNING_SECRET.test(secret))
    throw fieldError(['secret'], 'must be whsec_ and 24 to 64 bytes in base64: messages are signed with it');
  // The secret is sent in a header.
  if (!/^[\x21-\x7e]+$/.test(secret)) throw fieldError(['secret'], 'must be printable ASCII without spaces');
}

function mappingOf(kind: DestinationKind, mapping: Record<string, unknown>): Mapping {
  const entries = Object.entries(mapping);
  if (entries.length === 0 || entries.length > FIELDS_MAX)
    throw fieldError(['mapping'], `must have 1 to ${FIELDS_MAX} fields`);
  for (const [field, column] of entries) {
    const isName = (value: unknown): boolean =>
      typeof value === 'string' && value !== '' && value.length <= NAME_CHARACTERS_MAX;
    if (!isName(field) || field === '__proto__')
      throw fieldError(['mapping'], 'has a field without a usable name');
    if (!isName(column)) throw fieldError(['mapping', field], 'must be the key of a column');
  }
  const { keyField } = TEMPLATES[kind];
  if (keyField !== null && !(keyField in mapping))
    throw fieldError(['mapping', keyField], 'is required: it identifies rows at the destination');
  return mapping as Mapping;
}

const SHOWN = `d.id, d.kind, d.name, d.settings, d.mapping, ${isoTime('d.created_at')} AS created_at`;

const INSERT = statement(
  'destination.insert',
  `INSERT INTO destinations.destinations (org_id, mode, id, kind, name, settings, mapping, sealed_secret)
   SELECT ${TENANT}, $2, $3, $4, $5::json, $6::json, $7
   WHERE (SELECT count(*) FROM destinations.destinations d WHERE ${ofTenant('d')}) < $8 RETURNING id`,
);

const LIST = statement(
  'destination.list',
  `SELECT ${SHOWN} FROM destinations.destinations d WHERE ${ofTenant('d')} ORDER BY d.created_at, d.id`,
).rows<KnownDestination>();

const READ = statement(
  'destination.read',
  `SELECT ${SHOWN} FROM destinations.destinations d WHERE ${ofTenant('d')} AND d.id = $2`,
).rows<KnownDestination>();

const LOCK = statement(
  'destination.lock',
  `SELECT ${SHOWN} FROM destinations.destinations d WHERE ${ofTenant('d')} AND d.id = $2 FOR UPDATE`,
).rows<KnownDestination>();

const CHANGE = statement(
  'destination.change',
  `UPDATE destinations.destinations d SET name = coalesce($3, d.name),
     mapping = CASE WHEN NOT $7::boolean THEN coalesce($4::json, d.mapping) END,
     sealed_secret = coalesce($5, d.sealed_secret),
     settings = CASE WHEN $6::boolean IS NULL THEN d.settings ELSE (d.settings::jsonb || jsonb_build_object('overwrite', $6::boolean))::json END
   WHERE ${ofTenant('d')} AND d.id = $2`,
);

const REMOVE = statement(
  'destination.remove',
  `DELETE FROM destinations.destinations WHERE ${ofTenant()} AND id = $2 RETURNING id`,
);

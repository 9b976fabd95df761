import { faultsError, type ProviderItem, type ResourceOf, type JsonText } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx, Mode, SealedSecrets, SecretBinding } from '@quarry/app';
import { type Database, recordAudit } from '@quarry/postgres';
import type { VendorPlace } from '../operator/provider-plan.js';
import type { VendorChoice, VendorChoiceStore } from './vendor-choice.store.js';

type Item = ResourceOf<JsonText<typeof ProviderItem>>;

/** An organisation in one of its two worlds. */
export type Tenant = Pick<Ctx, 'orgId' | 'mode'>;

/** Change of the settings for a vendor; fields left out stay as they are. */
export interface VendorChange {
  key?: string | undefined;
  enabled?: boolean | undefined;
}

/** Characters of a key that are shown again. */
const HINT_CHARACTERS = 4;
/** Shortest key of which they are shown. */
const HINTED_FROM = 16;

/** @returns what a key is sealed for: a record that is put into another row does not open */
export function bindingOf({ orgId, mode }: Tenant, vendor: string): SecretBinding {
  return ['vendor key', orgId, mode, vendor];
}

export interface VendorChoicesParts {
  database: Database;
  store: VendorChoiceStore;
  secrets: SealedSecrets;
  /** Every vendor of the catalogue, as the operator has it. */
  places: readonly VendorPlace[];
  /** Told of an organisation and mode whose choices have changed. */
  onChanged: (tenant: Tenant) => void;
}

/** Reads and changes the settings of organisations for vendors: their own keys, which are never answered, and switches. */
export class VendorChoices {
  constructor(private readonly parts: VendorChoicesParts) {}

  /** @returns every vendor of the catalogue, in its order */
  async listChoices(ctx: Ctx): Promise<Item[]> {
    const choices = await this.parts.store.listChoices(ctx);
    return this.parts.places.map((place) => itemOf(place, choices, ctx.mode));
  }

  /**
   * Keeps a key, sets the switch, or both.
   * @throws AppError not_found for a vendor that is not in the catalogue; invalid_request for a body that says nothing, and for
   *   a key that the vendor does not ask for, that nobody knows where to send, or that cannot be sealed here
   */
  async setChoice(ctx: Ctx, id: string, { key, enabled }: VendorChange): Promise<Item> {
    const place = this.placeOf(id);
    if (key === undefined && enabled === undefined) throw fieldError([], 'key or enabled is required');
    if (key !== undefined) this.checkKeyAllowed(place);
    const { database, store, secrets } = this.parts;
    const kept =
      key === undefined ? null : { sealed: secrets.sealSecret(bindingOf(ctx, id), key), hint: hintOf(key) };
    await database.transaction(ctx, async (tx) => {
      await store.setChoice(tx, id, { enabled: enabled ?? null, key: kept });
      if (kept) await recordAudit(database, tx, { action: 'provider.key_set', object: id });
      if (enabled !== undefined)
        await recordAudit(database, tx, { action: 'provider.switched', object: id, facts: { enabled } });
    });
    return this.changeChoice(ctx, place);
  }

  /**
   * Forgets the key and the switch. Nothing is amiss when there are none.
   * @throws AppError not_found for a vendor that is not in the catalogue
   */
  async removeChoice(ctx: Ctx, id: string): Promise<Item> {
    const place = this.placeOf(id);
    const { database, store } = this.parts;
    await database.transaction(ctx, async (tx) => {
      const removed = await store.removeChoice(tx, id);
      if (!removed) return;
      await recordAudit(database, tx, {
        object: id,
        ...(removed.hadKey
          ? { action: 'provider.key_deleted' }
          : { action: 'provider.switched', facts: { enabled: true } }),
      });
    });
    return this.changeChoice(ctx, place);
  }

  private async changeChoice(ctx: Ctx, place: VendorPlace): Promise<Item> {
    this.parts.onChanged(ctx);
    return itemOf(place, await this.parts.store.listChoices(ctx), ctx.mode);
  }

  private placeOf(id: string): VendorPlace {
    const place = this.parts.places.find(({ vendor }) => vendor.id === id);
    if (!place) throw new AppError('not_found', 'Provider not found.');
    return place;
  }

  private checkKeyAllowed({ vendor, setup }: VendorPlace): void {
    if (!vendor.key) throw fieldError(['key'], 'does not apply to this provider');
    if (!setup)
      throw fieldError(['key'], 'cannot be used: the operator has not made this provider available');
    if (!this.parts.secrets.canSeal)
      throw fieldError(['key'], 'cannot be stored: the operator has not set ENCRYPTION_KEYS');
  }
}

/** Test keys meet the sandbox alone, so that no vendor is the operator's for them. */
function itemOf(
  { vendor, setup, isOperators, isDisabled }: VendorPlace,
  choices: VendorChoice[],
  mode: Mode,
): Item {
  const choice = choices.find((each) => each.vendor === vendor.id);
  const ofOperator = isOperators && mode === 'live' ? ('operator' as const) : null;
  return {
    id: vendor.id,
    title: vendor.title,
    services: [...(setup?.services ?? Object.keys(vendor.services)), ...Object.keys(vendor.searches ?? {})],
    configured: choice?.key ? 'organisation' : ofOperator,
    enabled: !isDisabled && (choice?.enabled ?? true),
    key_hint: choice?.key?.hint || null,
  };
}

/** Returns the end of a key, so that people know which one it is; nothing of a short key, of which it would be too much. */
function hintOf(key: string): string {
  return key.length < HINTED_FROM ? '' : key.slice(-HINT_CHARACTERS);
}

function fieldError(path: string[], message: string): AppError {
  return faultsError('resources', [{ path, message: [...path, message].join(' ') }]);
}

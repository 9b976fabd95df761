import { fieldError, type ProviderItem, type ResourceOf, type JsonText } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx, Mode, SealedSecrets, SecretBinding } from '@quarry/app';
import { type Database, recordAudit } from '@quarry/postgres';
import type { VendorPlace } from '../operator/provider-plan.js';
import type { VendorChoice, VendorChoiceStore } from './vendor-choice.store.js';

type Item = ResourceOf<JsonText<typeof ProviderItem>>;

/** Organisation and key mode: live and test data are separate. */
export type Tenant = Pick<Ctx, 'orgId' | 'mode'>;

/** Change of the settings for a vendor; omitted fields stay unchanged. */
export interface VendorChange {
  key?: string | undefined;
  enabled?: boolean | undefined;
}

/** Number of trailing characters of a key that are shown. */
const HINT_CHARACTERS = 4;
/** Minimum length of a key for which they are shown. */
const HINTED_FROM = 16;

/** @returns the context that a key is encrypted for: a value copied to another row cannot be decrypted */
export function bindingOf({ orgId, mode }: Tenant, vendor: string): SecretBinding {
  return ['vendor key', orgId, mode, vendor];
}

export interface VendorChoicesParts {
  database: Database;
  store: VendorChoiceStore;
  secrets: SealedSecrets;
  /** All vendors of the catalogue, with the operator's configuration. */
  places: readonly VendorPlace[];
  /** @returns true when the vendor accepts the key, false when it refuses it; null when it gives no clear answer */
  checkKey: (vendor: string, key: string) => Promise<boolean | null>;
  /** Called with an organisation and mode whose choices have changed. */
  onChanged: (tenant: Tenant) => void;
}

/** Reads and changes the vendor settings of organisations: their own keys, which are never returned, and `enabled`. */
export class VendorChoices {
  constructor(private readonly parts: VendorChoicesParts) {}

  /** @returns all vendors of the catalogue, in catalogue order */
  async listChoices(ctx: Ctx): Promise<Item[]> {
    const choices = await this.parts.store.listChoices(ctx);
    return this.parts.places.map((place) => itemOf(place, choices, ctx.mode));
  }

  /**
   * Stores a key, sets `enabled`, or both.
   * @throws AppError not_found for a vendor that is not in the catalogue; invalid_request for a body without changes, and
   *   for a key that the vendor refuses or does not use, that has no known address to be sent to, or that cannot be encrypted here
   */
  async setChoice(ctx: Ctx, id: string, { key, enabled }: VendorChange): Promise<Item> {
    const place = this.placeOf(id);
    if (key === undefined && enabled === undefined) throw fieldError([], 'key or enabled is required');
    if (key !== undefined) this.checkKeyAllowed(place);
    const { database, store, secrets, checkKey } = this.parts;
    // Test keys call no vendor.
    const isAccepted = key === undefined || ctx.mode === 'test' ? null : await checkKey(id, key);
    if (isAccepted === false) throw fieldError(['key'], `is refused by ${place.vendor.title}`);
    const kept =
      key === undefined ? null : { sealed: secrets.sealSecret(bindingOf(ctx, id), key), hint: hintOf(key) };
    await database.transaction(ctx, async (tx) => {
      await store.setChoice(tx, id, { enabled: enabled ?? null, key: kept });
      if (kept) await recordAudit(database, tx, { action: 'provider.key_set', object: id });
      if (enabled !== undefined)
        await recordAudit(database, tx, { action: 'provider.switched', object: id, facts: { enabled } });
    });
    const item = await this.changeChoice(ctx, place);
    return key === undefined ? item : { ...item, key_checked: isAccepted === true };
  }

  /**
   * Deletes the key and the `enabled` setting; does nothing when there are none.
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

/** Returns the item of the API. For test keys no vendor counts as the operator's, since they only use the sandbox. */
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

/**
 * Returns the last characters of a key, so that people can recognise it; empty for a short key, of which they would reveal
 * too much.
 */
function hintOf(key: string): string {
  return key.length < HINTED_FROM ? '' : key.slice(-HINT_CHARACTERS);
}

import type { Ctx, SecretBinding } from '@quarry/app';

/** @returns what the secrets of a webhook are sealed for: one that is put into another row does not open */
export function bindingOf({ orgId, mode }: Pick<Ctx, 'orgId' | 'mode'>, webhookId: string): SecretBinding {
  return ['webhook secret', orgId, mode, webhookId];
}

import type { Ctx, SecretBinding } from '@quarry/app';

/** @returns the binding of a webhook's secrets: a sealed secret that is moved to another row does not open */
export function bindingOf({ orgId, mode }: Pick<Ctx, 'orgId' | 'mode'>, webhookId: string): SecretBinding {
  return ['webhook secret', orgId, mode, webhookId];
}

import type { ChangeDestinationRequest, CreateDestinationRequest, PushRequest } from '../destinations.js';
import type {
  Destination,
  DestinationList,
  Push,
  PushFailurePage,
  PushPage,
  PushPreview,
} from '../resources/destinations.resources.js';
import type { JsonText } from '../resources/json-text.js';
import { defineMethod, type Keyed } from './rpc-method.js';

interface CursorPage {
  limit: number;
  cursor: string | null;
}

/** Calls for destinations and pushes; handled by the services side. */
export const DESTINATIONS_RPC = {
  create: defineMethod<{ body: CreateDestinationRequest } & Keyed, JsonText<typeof Destination>>(
    'services.destinations.create',
    'write',
  ),
  list: defineMethod<Record<string, never>, JsonText<typeof DestinationList>>(
    'services.destinations.list',
    'read',
  ),
  get: defineMethod<{ destinationId: string }, JsonText<typeof Destination>>(
    'services.destinations.get',
    'read',
  ),
  change: defineMethod<
    { destinationId: string; body: ChangeDestinationRequest },
    JsonText<typeof Destination>
  >('services.destinations.change', 'write'),
  remove: defineMethod<{ destinationId: string }, null>('services.destinations.remove', 'write'),
  preview: defineMethod<{ destinationId: string; body: PushRequest }, JsonText<typeof PushPreview>>(
    'services.destinations.preview',
    'read',
    30_000,
  ),
  push: defineMethod<{ destinationId: string; body: PushRequest } & Keyed, JsonText<typeof Push>>(
    'services.destinations.push',
    'write',
  ),
  listPushes: defineMethod<{ destinationId: string } & CursorPage, JsonText<typeof PushPage>>(
    'services.destinations.pushes',
    'read',
  ),
  getPush: defineMethod<{ destinationId: string; pushId: string }, JsonText<typeof Push>>(
    'services.destinations.getPush',
    'read',
  ),
  listFailures: defineMethod<
    { destinationId: string; pushId: string } & CursorPage,
    JsonText<typeof PushFailurePage>
  >('services.destinations.failures', 'read'),
} as const;

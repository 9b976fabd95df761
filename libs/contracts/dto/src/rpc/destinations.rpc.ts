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
import { method, type Keyed } from './rpc-method.js';

interface CursorPage {
  limit: number;
  cursor: string | null;
}

/** Calls for destinations and pushes; answered by the services side. */
export const DESTINATIONS_RPC = {
  create: method<{ body: CreateDestinationRequest } & Keyed, JsonText<typeof Destination>>(
    'services.destinations.create',
    'write',
  ),
  list: method<Record<string, never>, JsonText<typeof DestinationList>>('services.destinations.list', 'read'),
  get: method<{ destinationId: string }, JsonText<typeof Destination>>('services.destinations.get', 'read'),
  change: method<{ destinationId: string; body: ChangeDestinationRequest }, JsonText<typeof Destination>>(
    'services.destinations.change',
    'write',
  ),
  remove: method<{ destinationId: string }, null>('services.destinations.remove', 'write'),
  preview: method<{ destinationId: string; body: PushRequest }, JsonText<typeof PushPreview>>(
    'services.destinations.preview',
    'read',
    30_000,
  ),
  push: method<{ destinationId: string; body: PushRequest } & Keyed, JsonText<typeof Push>>(
    'services.destinations.push',
    'write',
  ),
  listPushes: method<{ destinationId: string } & CursorPage, JsonText<typeof PushPage>>(
    'services.destinations.pushes',
    'read',
  ),
  getPush: method<{ destinationId: string; pushId: string }, JsonText<typeof Push>>(
    'services.destinations.getPush',
    'read',
  ),
  listFailures: method<
    { destinationId: string; pushId: string } & CursorPage,
    JsonText<typeof PushFailurePage>
  >('services.destinations.failures', 'read'),
} as const;

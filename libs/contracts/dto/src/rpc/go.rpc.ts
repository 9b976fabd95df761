import type { CreateGoRunRequest } from '../go.js';
import type { JsonText } from '../resources/json-text.js';
import type { GoQuestionPage, GoRun, GoRunPage } from '../resources/go.resources.js';
import { defineMethod, type Keyed } from './rpc-method.js';

/** Go run as accepted, or its current state for a repeated idempotency key. */
export interface GoAccepted {
  id: string;
  json: JsonText<typeof GoRun>;
}

/** Maximum seconds that `POST /v1/go/run` is held. Source: docs/contract.md#6-go. */
const HELD_SECONDS_MAX = 100;

/** Calls for Go; handled by the services side. */
export const GO_RPC = {
  /** `heldSeconds`: time that the caller waits for the end; until then its idempotency key is in progress. */
  create: defineMethod<{ body: CreateGoRunRequest; heldSeconds: number } & Keyed, GoAccepted>(
    'services.go.create',
    'write',
  ),
  /** Responds when the run has ended or the wait is over. `hasEnded` tells which; `failure` is the error of a failed run. */
  get: defineMethod<
    { runId: string; waitSeconds: number },
    { json: JsonText<typeof GoRun>; hasEnded: boolean; failure: string | null }
  >('services.go.get', 'read', (HELD_SECONDS_MAX + 10) * 1000),
  list: defineMethod<{ limit: number; offset: number; status: string | null }, JsonText<typeof GoRunPage>>(
    'services.go.list',
    'read',
  ),
  /** Returns the questions of the same page of runs. */
  listQuestions: defineMethod<
    { limit: number; offset: number; status: string | null },
    JsonText<typeof GoQuestionPage>
  >('services.go.listQuestions', 'read'),
  /** `accepted` is true while the run had not ended (202), false when there was nothing to cancel (200). */
  cancel: defineMethod<{ runId: string }, { accepted: boolean; json: JsonText<typeof GoRun> }>(
    'services.go.cancel',
    'write',
  ),
} as const;

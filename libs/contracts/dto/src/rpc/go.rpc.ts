import type { CreateGoRunRequest } from '../go.js';
import type { JsonText } from '../resources/json-text.js';
import type { GoQuestionPage, GoRun, GoRunPage } from '../resources/go.resources.js';
import { defineMethod, type Keyed } from './rpc-method.js';

/** A Go run as it was accepted, or as it is when its key comes again. */
export interface GoAccepted {
  id: string;
  json: JsonText<typeof GoRun>;
}

/** Longest that `POST /v1/go/run` is held, in seconds. Source: docs/contract.md#6-go. */
const HELD_SECONDS_MAX = 100;

/** Calls for Go; answered by the services side. */
export const GO_RPC = {
  /** `heldSeconds`: how long whoever asks waits for the end; until then its key is in work. */
  create: defineMethod<{ body: CreateGoRunRequest; heldSeconds: number } & Keyed, GoAccepted>(
    'services.go.create',
    'write',
  ),
  /** Answers when the run has ended or the wait is over. `hasEnded` says which; `failure` is what a failed run says. */
  get: defineMethod<
    { runId: string; waitSeconds: number },
    { json: JsonText<typeof GoRun>; hasEnded: boolean; failure: string | null }
  >('services.go.get', 'read', (HELD_SECONDS_MAX + 10) * 1000),
  list: defineMethod<{ limit: number; offset: number; status: string | null }, JsonText<typeof GoRunPage>>(
    'services.go.list',
    'read',
  ),
  /** The questions of the same page of runs. */
  listQuestions: defineMethod<
    { limit: number; offset: number; status: string | null },
    JsonText<typeof GoQuestionPage>
  >('services.go.listQuestions', 'read'),
  /** `accepted` is true while the run had not ended (202), false when nothing was left to cancel (200). */
  cancel: defineMethod<{ runId: string }, { accepted: boolean; json: JsonText<typeof GoRun> }>(
    'services.go.cancel',
    'write',
  ),
} as const;

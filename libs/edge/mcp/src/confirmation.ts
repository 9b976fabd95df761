import { createHash, randomUUID } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type CallToolResult,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { canonicalJson } from '@quarry/app';
import { formatCount } from '@quarry/service-catalog';
import { z } from 'zod';
import { bytesOf } from './answer-size.js';
import { callerOf, sessionOf } from './caller.js';
import { takesForms } from './session/client-sessions.js';
import type { AnyTool, Spend } from './tool.js';
import { CONFIRMATION_REQUIRED, refusedResult } from './tool-error.js';

/** Maximum cost of a call in credits without a confirmation. Source: docs/contract.md#8-tools-for-agents. */
export const FREE_HAND_CREDITS = 5;
/** Maximum size in bytes of arguments that are repeated in a refusal. */
const RETRY_BYTES_MAX = 20_000;
/** Seconds that a person has for a response. */
const ANSWER_SECONDS = 600;

/** Subject of a form; passes through the client encrypted. */
interface ConfirmationSubject {
  tool: string;
  /** Hash of the arguments to confirm. */
  of: string;
  worstCase: number;
  /** Key with which a confirmed call that is sent twice is charged once. */
  idempotencyKey: string;
}

/** Decision on whether a call may spend its maximum cost. */
export type Verdict =
  | { kind: 'allowed'; idempotencyKey: string | null }
  | { kind: 'asks'; result: InputRequiredResult }
  | { kind: 'refused'; result: CallToolResult };

const APPROVAL = z.object({ approve: z.boolean().describe('True to go ahead.') });

/** Requests consent before a call that may be expensive. */
export class Confirmation {
  private readonly codecs: ReadonlyArray<RequestStateCodec<ConfirmationSubject>>;

  /**
   * @param secrets of at least 32 characters; the first one encrypts, all decrypt. The same in every process that may handle
   *   the response
   */
  constructor(secrets: readonly [string, ...string[]]) {
    const bind = (context: ServerContext): string => {
      const { ctx } = callerOf(context);
      return JSON.stringify([ctx.orgId, ctx.mode, ctx.keyId]);
    };
    this.codecs = secrets.map((key) =>
      createRequestStateCodec<ConfirmationSubject>({ key, ttlSeconds: ANSWER_SECONDS, bind }),
    );
  }

  /**
   * Decrypts the state that a client sends back, for the SDK.
   * @throws Error unless it was recently encrypted here, for this caller
   */
  readonly verify = async (state: string, context: ServerContext): Promise<ConfirmationSubject> => {
    const opened = await Promise.allSettled(this.codecs.map((codec) => codec.verify(state, context)));
    const good = opened.find((each) => each.status === 'fulfilled');
    if (!good) throw new Error('The state was not sealed here.');
    return good.value;
  };

  /**
   * @param args arguments as sent
   * @param maxCredits limit given by the caller, if any
   */
  async confirmSpend(
    tool: AnyTool,
    args: Readonly<Record<string, unknown>>,
    spend: Spend,
    context: ServerContext,
  ): Promise<Verdict> {
    const key = (args.idempotency_key as string | undefined) ?? null;
    const limit = (args.max_credits as number | undefined) ?? FREE_HAND_CREDITS;
    const of = createHash('sha256').update(canonicalJson(args)).digest('base64url');
    const subject = context.mcpReq.requestState<ConfirmationSubject>();
    // A person's decision takes precedence, even if the call has become cheaper since: a no remains a no, and a yes that
    // is sent twice keeps its key.
    if (subject?.tool === tool.name && subject.of === of) {
      const answer = acceptedContent(context.mcpReq.inputResponses, 'spend', APPROVAL);
      const hasAnswered = context.mcpReq.inputResponses?.spend !== undefined;
      if (hasAnswered && answer?.approve !== true) return { kind: 'refused', result: declinedResult(spend) };
      if (hasAnswered && spend.worstCase <= subject.worstCase)
        return { kind: 'allowed', idempotencyKey: key ?? subject.idempotencyKey };
    }
    const isAllowed = spend.question === undefined ? spend.worstCase <= limit : !canBeAsked(context);
    if (isAllowed) return { kind: 'allowed', idempotencyKey: key };
    if (args.max_credits !== undefined || !canBeAsked(context))
      return { kind: 'refused', result: confirmationRequired(tool, args, spend) };
    const state = { tool: tool.name, of, worstCase: spend.worstCase, idempotencyKey: `mcp-${randomUUID()}` };
    return { kind: 'asks', result: await this.askClient(spend, state, context) };
  }

  private async askClient(
    spend: Spend,
    subject: ConfirmationSubject,
    context: ServerContext,
  ): Promise<InputRequiredResult> {
    const message =
      spend.question ?? `Spend up to ${formatCount(spend.worstCase, 'credit')} for ${spend.what}?`;
    return inputRequired({
      inputRequests: { spend: inputRequired.elicit({ message, requestedSchema: APPROVAL }) },
      requestState: await this.codecs[0]!.mint(subject, context),
    });
  }
}

function canBeAsked(context: ServerContext): boolean {
  const envelope = context.mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  if (!envelope) return sessionOf(context)?.has('elicitation') ?? false;
  const capabilities = envelope[CLIENT_CAPABILITIES_META_KEY] as
    { elicitation?: { form?: object; url?: object } } | undefined;
  return takesForms(capabilities?.elicitation);
}

function confirmationRequired(
  tool: AnyTool,
  args: Readonly<Record<string, unknown>>,
  { worstCase, what, estimate }: Spend,
): CallToolResult {
  const retried = { ...args, max_credits: worstCase };
  // A list of inputs may be larger than a result.
  const retry =
    bytesOf(retried) > RETRY_BYTES_MAX
      ? { name: tool.name, add: { max_credits: worstCase } }
      : { name: tool.name, arguments: retried };
  return refusedResult(
    `This can cost up to ${formatCount(worstCase, 'credit')} (${what}): ask the user, then repeat the same call with max_credits ${worstCase}.`,
    { code: CONFIRMATION_REQUIRED, retryable: false, details: { estimate, retry } },
  );
}

/** @returns the refusal of a call whose client was asked but did not respond */
export function unansweredResult(): CallToolResult {
  return refusedResult(
    'The user was asked to approve the cost and gave no answer. Nothing was done; ask the user what to do instead.',
    { code: CONFIRMATION_REQUIRED, retryable: true },
  );
}

/** @returns the refusal of a call that became more expensive while its client was asked */
export function outdatedResult(): CallToolResult {
  return refusedResult(
    'The price is now higher than what the user agreed to. Nothing was done; repeat the same call, and the user is asked again.',
    { code: CONFIRMATION_REQUIRED, retryable: true },
  );
}

function declinedResult({ question, worstCase, what }: Spend): CallToolResult {
  const wanted =
    question === undefined ? `spend up to ${formatCount(worstCase, 'credit')} for ${what}` : what;
  return refusedResult(
    `The user did not agree to ${wanted}. Nothing was done; ask the user what to do instead.`,
    { code: CONFIRMATION_REQUIRED, retryable: false },
  );
}

import {
  isInputRequiredResult,
  type CallToolResult,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { sessionOf } from '../caller.js';
import { outdatedResult, unansweredResult, type Confirmation } from '../confirmation.js';
import { QUESTION_MS } from './pending-elicitations.js';

type Answered = CallToolResult | InputRequiredResult;

/**
 * Handles a call that may need a person's response. A client of protocol version 2026-07-28 gets the form as the result,
 * and calls again with the response; one of 2025-11-25 is asked here, while its call waits, and the call is then handled
 * again in the same way.
 * @param call handles the call; its result may be a question
 * @returns its result; a refusal when nobody responds
 */
export async function askInSession(
  confirmation: Confirmation,
  context: ServerContext,
  call: (context: ServerContext) => Promise<Answered>,
): Promise<Answered> {
  const first = await call(context);
  if (!isInputRequiredResult(first) || !sessionOf(context)) return first;
  const { mcpReq } = context;
  const [[key, form] = ['', null]] = Object.entries(first.inputRequests ?? {});
  if (form?.method !== 'elicitation/create' || first.requestState === undefined)
    throw new Error('A session is asked by one form.');
  const answer = await mcpReq
    .elicitInput(form.params as ElicitRequestFormParams, { timeout: QUESTION_MS, signal: mcpReq.signal })
    .catch((error: unknown) => {
      // The client has cancelled the call itself, so no response is needed.
      if (mcpReq.signal.aborted) throw error;
      return null;
    });
  if (!answer) return unansweredResult();
  const subject = await confirmation.verify(first.requestState, context);
  const second = await call({
    ...context,
    mcpReq: { ...mcpReq, inputResponses: { [key]: answer }, requestState: <T>() => subject as T },
  });
  return isInputRequiredResult(second) ? outdatedResult() : second;
}

import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi, callOnce } from '../api/http';
import { refreshQueries } from '../api/queries';
import type { Plan, Run } from '../api/resources';
import { useAction } from '../api/use-action';
import { withCount, withoutRemoved } from './intent';
import { forgetDraft } from '../ui/draft';

type PlanRequest =
  | {
      prompt: string;
      conversation_id?: string;
      /** True when the prompt is a revision of the current plan's: what was removed from the plan stays removed. */
      isRevision?: boolean;
    }
  | { plan_id: string; intent: Plan['intent'] };

interface Plans {
  readonly shown: Plan;
  readonly read: Plan | null;
}

const postPlan = (body: object) => callApi<Plan>('/v1/plans', { method: 'POST', body });

/** Storage key of the plan behind a run of its first rows, so that the rest can follow. */
const restKey = (runId: string) => `quarry.rest.${runId}`;

export function planOfRest(runId: string): string | null {
  return sessionStorage.getItem(restKey(runId));
}

/**
 * Plans a prompt, prices corrections of the plan, and runs it. A plan stays on the screen when its correction is refused.
 * @param draft name of the prompt's draft, which ends when its run starts
 */
export function usePlan(draft: string) {
  const navigate = useNavigate();
  const [priced, setPriced] = useState<Plan | null>(null);
  /** The plan of the prompt before corrections. */
  const [read, setRead] = useState<Plan | null>(null);
  /** Text typed since the plan was requested; null for none. */
  const [typed, setTyped] = useState<string | null>(null);
  const plan = useAction<Plans, PlanRequest>({
    mutationFn: async (request) => {
      if (!('prompt' in request)) return { shown: await postPlan(request), read };
      const { isRevision = false, ...body } = request;
      const next = await postPlan(body);
      if (!isRevision || !read || !shown) return { shown: next, read: next };
      const intent = withoutRemoved(next.intent, read.intent, shown.intent);
      const isWhole = JSON.stringify(intent) === JSON.stringify(next.intent);
      return { shown: isWhole ? next : await postPlan({ plan_id: next.id, intent }), read: next };
    },
    onDone: (plans, request) => {
      setPriced(plans.shown);
      setRead(plans.read);
      if (!('prompt' in request)) return;
      // Text typed while the plan was being made does not belong to it.
      setTyped((now) => (request.isRevision || now?.trim() === request.prompt ? null : now));
    },
  });
  // A correction counts before its price is known, so that the next one adds to it.
  const corrected = plan.isPending && 'intent' in plan.variables ? plan.variables.intent : null;
  const shown: Plan | null = priced && corrected ? { ...priced, intent: corrected } : priced;
  const run = useAction({
    mutationFn: async ({
      planId,
      intent,
      rows,
    }: {
      planId: string;
      intent?: Plan['intent'];
      rows: number | null;
    }) => {
      const started = await callOnce<Run>(
        `/v1/plans/${planId}/runs`,
        rows === null || !intent ? {} : { intent: withCount(intent, rows) },
      );
      if (rows !== null) sessionStorage.setItem(restKey(started.id), planId);
      return started;
    },
    onSuccess: () => {
      forgetDraft(draft);
      refreshQueries('runs', 'balance', 'conversation');
    },
    onDone: ({ id }) => void navigate({ to: '/runs/$runId', params: { runId: id } }),
  });
  /** The text on the screen differs from the prompt of the plan below. */
  const isStale = shown !== null && typed !== null && typed.trim() !== shown.prompt.trim();
  return { shown, plan, run, isStale, setTyped };
}

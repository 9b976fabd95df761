import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi, callOnce } from '../api/http';
import { refreshQueries } from '../api/queries';
import type { Plan, Run } from '../api/resources';
import { withCount, withoutRemoved } from './intent';
import { forgetDraft, PROMPT } from '../ui/draft';

type PlanRequest =
  | {
      prompt: string;
      conversation_id?: string;
      /** The prompt is that of the plan on the screen with other words in it: what was taken out there stays out. */
      isRevision?: boolean;
    }
  | { plan_id: string; intent: Plan['intent'] };

const postPlan = (body: object) => callApi<Plan>('/v1/plans', { method: 'POST', body });

/** The plan behind a run of its first rows, so that the rest can follow. */
const restKey = (runId: string) => `quarry.rest.${runId}`;

export function planOfRest(runId: string): string | null {
  return sessionStorage.getItem(restKey(runId));
}

/** Plans a prompt, prices corrections of the plan, and runs it. A plan stays on the screen when a correction is refused. */
export function usePlan() {
  const navigate = useNavigate();
  const [shown, setShown] = useState<Plan | null>(null);
  /** The plan as it was read of the prompt, before anything was taken out. */
  const [read, setRead] = useState<Plan | null>(null);
  /** Words that were typed since the plan was requested; null for none. */
  const [typed, setTyped] = useState<string | null>(null);
  const plan = useMutation({
    mutationFn: async (request: PlanRequest) => {
      if (!('prompt' in request)) return { shown: await postPlan(request), read };
      const { isRevision = false, ...body } = request;
      const next = await postPlan(body);
      if (!isRevision || !read || !shown) return { shown: next, read: next };
      const intent = withoutRemoved(next.intent, read.intent, shown.intent);
      const isWhole = JSON.stringify(intent) === JSON.stringify(next.intent);
      return { shown: isWhole ? next : await postPlan({ plan_id: next.id, intent }), read: next };
    },
    onSuccess: (plans, request) => {
      setShown(plans.shown);
      setRead(plans.read);
      if (!('prompt' in request)) return;
      // What was typed while the plan was made is not of it.
      setTyped((now) => (request.isRevision || now?.trim() === request.prompt ? null : now));
    },
  });
  const run = useMutation({
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
    onSuccess: ({ id }) => {
      forgetDraft(PROMPT);
      refreshQueries('runs', 'balance', 'conversation');
      void navigate({ to: '/runs/$runId', params: { runId: id } });
    },
  });
  /** The words on the screen are others than those of the plan below them. */
  const isStale = shown !== null && typed !== null && typed.trim() !== shown.prompt.trim();
  return { shown, plan, run, isStale, setTyped };
}

import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi, callOnce } from '../api/http';
import { refresh } from '../api/queries';
import type { Plan, Run } from '../api/resources';
import { withCount } from './intent';
import { forgetDraft } from './draft';

type PlanRequest = { prompt: string; conversation_id?: string } | { plan_id: string; intent: Plan['intent'] };

/** The plan behind a run of its first rows, so that the rest can follow. */
const restKey = (runId: string) => `quarry.rest.${runId}`;

export function planOfRest(runId: string): string | null {
  return sessionStorage.getItem(restKey(runId));
}

/** Plans a prompt, prices corrections of the plan, and runs it. A plan stays on the screen when a correction is refused. */
export function usePlan() {
  const navigate = useNavigate();
  const [shown, setShown] = useState<Plan | null>(null);
  const plan = useMutation({
    mutationFn: (body: PlanRequest) => callApi<Plan>('/v1/plans', { method: 'POST', body }),
    onSuccess: setShown,
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
      forgetDraft();
      refresh('runs', 'balance', 'conversation');
      void navigate({ to: '/runs/$runId', params: { runId: id } });
    },
  });
  return { shown, plan, run };
}

import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { callOnce } from '../api/http';
import { refreshQueries } from '../api/queries';
import type { Batch } from '../api/resources';

type Input = Readonly<Record<string, unknown>>;

const keyOf = (batchId: string) => `quarry.batch.${batchId}`;

/** @returns the inputs that this browser sent with a batch; null if another one did, because the API does not return inputs */
export function rememberedInputs(batchId: string): readonly Input[] | null {
  const text = sessionStorage.getItem(keyOf(batchId));
  return text === null ? null : (JSON.parse(text) as Input[]);
}

/** Starts a batch and navigates to it. */
export function useStartBatch() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async ({ service, inputs }: { service: string; inputs: readonly Input[] }) => {
      const batch = await callOnce<Batch>('/v1/services/jobs/batch', { service, inputs });
      sessionStorage.setItem(keyOf(batch.batch_id), JSON.stringify(inputs));
      return batch;
    },
    onSuccess: ({ batch_id: batchId }) => {
      refreshQueries('jobs', 'balance');
      void navigate({ to: '/batches/$batchId', params: { batchId } });
    },
  });
}

import { useNavigate } from '@tanstack/react-router';
import { callOnce } from '../api/http';
import { refreshQueries } from '../api/queries';
import type { Batch } from '../api/resources';
import { useAction } from '../api/use-action';

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
  return useAction({
    mutationFn: async ({ service, inputs }: { service: string; inputs: readonly Input[] }) => {
      const batch = await callOnce<Batch>('/v1/services/jobs/batch', { service, inputs });
      sessionStorage.setItem(keyOf(batch.batch_id), JSON.stringify(inputs));
      return batch;
    },
    onSuccess: () => refreshQueries('jobs', 'balance'),
    onDone: ({ batch_id: batchId }) => void navigate({ to: '/batches/$batchId', params: { batchId } }),
  });
}

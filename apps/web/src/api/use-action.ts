import { useMutation, type UseMutationOptions } from '@tanstack/react-query';

interface ActionOptions<Answer, Input> extends UseMutationOptions<Answer, Error, Input> {
  /**
   * Navigates, closes a dialog or shows the answer. Called after `onSuccess`, and only for the last press while the component is
   * shown: a late answer must not change what the user has opened meanwhile.
   */
  readonly onDone: (answer: Answer, input: Input) => void;
}

/** A mutation whose answer changes what is on the screen. */
export function useAction<Answer, Input = void>({ onDone, ...options }: ActionOptions<Answer, Input>) {
  const mutation = useMutation(options);
  return { ...mutation, mutate: (input: Input) => mutation.mutate(input, { onSuccess: onDone }) };
}

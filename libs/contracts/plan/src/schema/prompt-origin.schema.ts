import { z } from 'zod';

/** Origin of an item of an intent. */
export interface PromptOrigin {
  /** Words of the item, each as it occurs in the prompt; empty for items from an output contract. */
  readonly fragments: readonly string[];
  /** Origin. `earlier`: a previous prompt of the conversation. `output`: the output contract. `user`: added manually. */
  readonly from: 'prompt' | 'earlier' | 'output' | 'user';
}

const ORIGINS = ['prompt', 'earlier', 'output', 'user'] as const;

/** Schemas of the two fields that every item of an intent has. */
export const PROMPT_ORIGIN = {
  fragments: z
    .array(z.string().min(1).max(20_000))
    .meta({
      id: 'fragments',
      description: 'The words that say it, each verbatim as it stands in the prompt.',
    }),
  from: z
    .enum(ORIGINS)
    .default('prompt')
    .meta({
      id: 'origin',
      description: 'earlier: a prompt before; output: the output contract; user: put in by hand.',
    }),
};

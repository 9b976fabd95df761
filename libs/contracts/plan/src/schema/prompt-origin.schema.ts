import { z } from 'zod';

/** Origin of an item of an intent. */
export interface PromptOrigin {
  /** The words that say it, each as it stands in the prompt; none for what an output contract says. */
  readonly fragments: readonly string[];
  /** `earlier`: a prompt before this one in the conversation. `output`: the output contract. `user`: put in by hand. */
  readonly from: 'prompt' | 'earlier' | 'output' | 'user';
}

const ORIGINS = ['prompt', 'earlier', 'output', 'user'] as const;

/** The two fields that every item of an intent has. */
export const PROMPT_ORIGIN = {
  fragments: z.array(z.string().min(1).max(20_000)).meta({
    id: 'fragments',
    description: 'The words that say it, each verbatim as it stands in the prompt.',
  }),
  from: z.enum(ORIGINS).default('prompt').meta({
    id: 'origin',
    description: 'earlier: a prompt before; output: the output contract; user: put in by hand.',
  }),
};

import { useState } from 'react';

const keyOf = (name: string) => `quarry.draft.${name}`;
/** Name of the prompt that runs begin with. */
export const PROMPT = 'prompt';

/** Returns what was typed under a name and is not sent yet; a reload keeps it. */
export const readDraft = (name: string) => sessionStorage.getItem(keyOf(name)) ?? '';
export const forgetDraft = (name: string) => sessionStorage.removeItem(keyOf(name));

export function keepDraft(name: string, text: string): void {
  if (text === '') forgetDraft(name);
  else sessionStorage.setItem(keyOf(name), text);
}

/** A text that is kept as it is typed; an empty one forgets it. */
export function useDraft(name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(name));
  const change = (next: string) => {
    setText(next);
    keepDraft(name, next);
  };
  return [text, change];
}

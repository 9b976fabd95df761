import { useState } from 'react';

const keyOf = (name: string) => `quarry.draft.${name}`;
/** Name of the draft of a new run's prompt. */
export const PROMPT = 'prompt';

/** Returns the unsent text of a draft, which survives a reload. */
export const readDraft = (name: string) => sessionStorage.getItem(keyOf(name)) ?? '';
export const forgetDraft = (name: string) => sessionStorage.removeItem(keyOf(name));

export function keepDraft(name: string, text: string): void {
  forgetDraft(name);
  if (text === '') return;
  try {
    sessionStorage.setItem(keyOf(name), text);
  } catch {
    // Longer than the browser stores: it is on the screen only.
  }
}

/** A text that is stored while it is typed; an empty one is deleted. */
export function useDraft(name: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => readDraft(name));
  const change = (next: string) => {
    setText(next);
    keepDraft(name, next);
  };
  return [text, change];
}

import { useState } from 'react';
import { changedElsewhere, changesOf } from './changes';
import { ApiError } from './http';

interface EditOptions<Item> {
  /** Reads the list that has the resource. */
  readonly list: () => Promise<{ readonly items: readonly Item[] }>;
  /** Labels of the fields that the form edits. */
  readonly labels: Partial<Record<keyof Item, string>>;
}

/**
 * Edits a resource in a form, without overwriting what others save meanwhile.
 * @param item the resource; what it is when the form opens stays in the form
 * @returns `opened`, that resource; `changes`, which makes the body of a PATCH; and after a save was refused because of
 *   {@link EditOptions.labels} that somebody else has changed, `words` about them: the next save replaces them
 */
export function useEdit<Item extends { id: string }, Given extends Item | undefined>(
  item: Given,
  { list, labels }: EditOptions<Item>,
) {
  const [opened] = useState(item);
  const [known, setKnown] = useState<Item | undefined>(item);
  const [news, setNews] = useState<string | null>(null);
  const onRefused = async (error: unknown) => {
    setNews(null);
    if (!known || !(error instanceof ApiError) || error.code !== 'version_conflict') return;
    const { items } = await list();
    const now = items.find(({ id }) => id === known.id);
    if (!now) return;
    setNews(changedElsewhere(known, now, labels));
    setKnown(now);
  };
  const changes = (fields: Partial<Item>) => changesOf(fields, opened as Item, known as Item);
  return { opened, changes, words: (text: string) => news ?? text, onRefused };
}

import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { Button } from '../ui/controls';
import { keepDraft, readDraft } from '../ui/draft';
import css from './runs.module.css';

interface PromptBoxProps {
  readonly label: string;
  readonly placeholder: string;
  readonly action: string;
  readonly isBusy: boolean;
  readonly initial?: string;
  /** Name of the draft, which survives a reload. */
  readonly draft: string;
  readonly onSubmit: (prompt: string) => void;
  /** Called with each change, before it is submitted. */
  readonly onType: (prompt: string) => void;
  readonly children?: ReactNode;
}

export function PromptBox({
  label,
  placeholder,
  action,
  isBusy,
  initial,
  draft,
  onSubmit,
  onType,
  children,
}: PromptBoxProps) {
  const [prompt, setPrompt] = useState(() => initial ?? readDraft(draft));
  const submit = () => prompt.trim() && onSubmit(prompt.trim());
  const submitOnEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!event.repeat) submit();
  };
  return (
    <form
      className={css.promptBox}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <label className={css.promptLabel}>
        {label}
        <textarea
          className={css.prompt}
          rows={2}
          maxLength={20_000}
          placeholder={placeholder}
          value={prompt}
          onKeyDown={submitOnEnter}
          onChange={({ target }) => {
            setPrompt(target.value);
            onType(target.value);
            keepDraft(draft, target.value);
          }}
        />
      </label>
      <div className={css.promptFoot}>
        <div>{children}</div>
        <Button type="submit" look="primary" isBusy={isBusy} disabled={!prompt.trim()}>
          {action}
        </Button>
      </div>
    </form>
  );
}

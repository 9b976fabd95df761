import { Dialog as Base } from '@base-ui/react/dialog';
import { useBlocker, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button, controls, joinClasses, Notice } from './controls';
import css from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  /** Name of the dialog for screen readers; the title where it is left out. */
  readonly label?: string;
  /** In the middle for a decision; at the side for what explains the page behind it. */
  readonly place?: 'center' | 'wide' | 'side';
  /** It stands in the address, so that Back by itself leads to the page without it. */
  readonly isAddressed?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

type Changed = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A text is lost with its dialog, and a choice where it is one of a form's; alone it is made again by one press. */
function isLost(field: Changed): boolean {
  // What was sent has left the dialog, as forms do when their answer comes.
  if (!field.isConnected) return false;
  if (field.type === 'file' || field.type === 'search') return false;
  const isChoice = field instanceof HTMLSelectElement || field.type === 'checkbox' || field.type === 'radio';
  return isChoice ? field.form !== null : field.value.trim() !== '';
}

/**
 * A dialog that is open as long as it is rendered. Escape, the backdrop, its button and Back in the browser close it, and ask where
 * something was typed.
 */
export function Dialog({
  title,
  label,
  place = 'center',
  isAddressed = false,
  onClose,
  children,
  actions,
}: DialogProps) {
  // A field that takes the focus at once has it before the library looks where it was.
  const [opener] = useState(() => document.activeElement as HTMLElement | null);
  const changed = useRef(new Set<Changed>());
  const [isAsking, setAsking] = useState(false);
  const isTyped = () => [...changed.current].some(isLost);
  const close = () => {
    if (isAsking) keepEditing();
    else if (isTyped()) setAsking(true);
    else onClose();
  };
  useBlocker({
    shouldBlockFn: ({ action }) => {
      const isBlocked = action === 'BACK' && (!isAddressed || isTyped());
      // The router goes forward again first: what closing changes in the address is of that entry, not of the one behind it.
      if (isBlocked) addEventListener('popstate', close, { once: true });
      return isBlocked;
    },
    enableBeforeUnload: false,
  });
  const { history } = useRouter();
  useEffect(() => {
    // Before the first entry of a document stands another one, to which Back leads past every script: this page once more is between them.
    if (!isAddressed && history.location.state.__TSR_index === 0) history.push(history.location.href);
  }, [history, isAddressed]);
  const keepEditing = () => {
    setAsking(false);
    [...changed.current].findLast((field) => field.isConnected)?.focus();
  };
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Base.Portal>
        <Base.Backdrop className={joinClasses(css.backdrop, place === 'side' && css.clear)} />
        <Base.Popup
          onInput={({ target }) => changed.current.add(target as Changed)}
          finalFocus={() =>
            opener?.isConnected && opener !== document.body ? opener : document.getElementById('main')
          }
          className={joinClasses(
            css.popup,
            place === 'side' ? css.side : css.center,
            place === 'wide' && css.wide,
          )}
          {...(label ? { 'aria-label': label, 'aria-labelledby': undefined } : {})}
        >
          <header className={css.head}>
            {label ? (
              <h2 className={css.title}>{title}</h2>
            ) : (
              <Base.Title className={css.title}>{title}</Base.Title>
            )}
            <Base.Close
              render={
                <Button look="quiet" size="small" aria-label="Close">
                  ✕
                </Button>
              }
            />
          </header>
          <div className={css.body}>{children}</div>
          {isAsking && (
            <div className={css.ask}>
              <Notice
                look="amber"
                action={
                  <span className={controls.row}>
                    <Button size="small" autoFocus onClick={keepEditing}>
                      Keep editing
                    </Button>
                    <Button size="small" look="danger" onClick={onClose}>
                      Discard
                    </Button>
                  </span>
                }
              >
                Discard what you have typed?
              </Notice>
            </div>
          )}
          {actions && !isAsking && <footer className={css.foot}>{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

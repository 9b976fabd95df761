import { Dialog as Base } from '@base-ui/react/dialog';
import { useBlocker, useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { isSessionEnded } from '../sign-in/ended-session';
import { Button, controls, joinClasses, Notice } from './controls';
import css from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  /** Name of the dialog for screen readers; the title where it is left out. */
  readonly label?: string;
  /** In the middle for a decision; at the side to explain the page behind it. */
  readonly place?: 'center' | 'wide' | 'side';
  /** True when it is part of the address, so that Back leads to the page without it. */
  readonly isAddressed?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly actions?: ReactNode;
}

type Changed = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A text is lost with its dialog, and so is a choice within a form; a single choice is repeated by one press. */
function isLost(field: Changed): boolean {
  // A submitted form has left the dialog.
  if (!field.isConnected) return false;
  if (field.type === 'file' || field.type === 'search') return false;
  const isChoice = field instanceof HTMLSelectElement || field.type === 'checkbox' || field.type === 'radio';
  return isChoice ? field.form !== null : field.value.trim() !== '';
}

/** The elements that get the focus when a dialog closes, the first one that still exists. */
const openersOf = new WeakMap<Element, readonly HTMLElement[]>();

/** Returns the focused element, and the openers of its dialog, which the next one may replace. */
function openersOfNext(): readonly HTMLElement[] {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || focused === document.body) return [];
  const around = focused.closest('[role=dialog]');
  return [focused, ...((around && openersOf.get(around)) ?? [])];
}

/**
 * A dialog that is open while it is rendered. Escape, the backdrop, its button and the browser's Back close it, after a question
 * when there are unsaved changes.
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
  // A field with autofocus has the focus before the library can remember the previous element.
  const [openers] = useState(openersOfNext);
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
      // The router goes forward again first: closing changes the address of that history entry, not of the one behind it.
      if (isBlocked) addEventListener('popstate', close, { once: true });
      return isBlocked;
    },
    enableBeforeUnload: isTyped,
  });
  const { history } = useRouter();
  useEffect(() => {
    // Back from the first entry of a document leaves it without running any script, so a copy of this page is put in between.
    if (!isAddressed && history.location.state.__TSR_index === 0) history.push(history.location.href);
  }, [history, isAddressed]);
  const keepEditing = () => {
    setAsking(false);
    [...changed.current].findLast((field) => field.isConnected)?.focus();
  };
  return (
    <Base.Root
      open
      onOpenChange={(isOpen, { event }) => {
        // The second press of a double click on the button that opens the dialog meets the backdrop.
        const isDoubleClick = event instanceof MouseEvent && event.detail > 1;
        if (!isOpen && !isDoubleClick && !isSessionEnded()) close();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={joinClasses(css.backdrop, place === 'side' && css.clear)} />
        <Base.Popup
          onInput={({ target }) => changed.current.add(target as Changed)}
          ref={(popup: HTMLDivElement | null) => {
            if (popup) openersOf.set(popup, openers);
          }}
          finalFocus={() => openers.find(({ isConnected }) => isConnected) ?? document.getElementById('main')}
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

import { Dialog as Base } from '@base-ui/react/dialog';
import { useRef, useState, type ReactNode } from 'react';
import { Button, controls, joinClasses, Notice } from './controls';
import css from './dialog.module.css';

interface DialogProps {
  readonly title: string;
  /** Name of the dialog for screen readers; the title where it is left out. */
  readonly label?: string;
  /** In the middle for a decision; at the side for what explains the page behind it. */
  readonly place?: 'center' | 'wide' | 'side';
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

/** A dialog that is open as long as it is rendered. Escape, the backdrop and its button close it, and ask where something was typed. */
export function Dialog({ title, label, place = 'center', onClose, children, actions }: DialogProps) {
  // A field that takes the focus at once has it before the library looks where it was.
  const [opener] = useState(() => document.activeElement as HTMLElement | null);
  const changed = useRef(new Set<Changed>());
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    if (isAsking) keepEditing();
    else if ([...changed.current].some(isLost)) setAsking(true);
    else onClose();
  };
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
          finalFocus={() => (opener?.isConnected ? opener : true)}
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

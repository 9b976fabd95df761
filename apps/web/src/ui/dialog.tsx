import { Dialog as Base } from '@base-ui/react/dialog';
import { useState, type ReactNode } from 'react';
import { Button, joinClasses } from './controls';
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

/** A dialog that is open as long as it is rendered. Escape, the backdrop and its button close it. */
export function Dialog({ title, label, place = 'center', onClose, children, actions }: DialogProps) {
  // A field that takes the focus at once has it before the library looks where it was.
  const [opener] = useState(() => document.activeElement as HTMLElement | null);
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={joinClasses(css.backdrop, place === 'side' && css.clear)} />
        <Base.Popup
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
          {actions && <footer className={css.foot}>{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

import { Popover as Base } from '@base-ui/react/popover';
import type { ReactElement, ReactNode } from 'react';
import css from './popover.module.css';

interface PopoverProps {
  readonly label: string;
  readonly trigger: ReactElement;
  readonly children: ReactNode;
}

/** A small panel at the control that opens it. */
export function Popover({ label, trigger, children }: PopoverProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align="start" className={css.positioner}>
          <Base.Popup className={css.popup} aria-label={label}>
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Makes a control in a popover close it, as one must that opens a dialog. */
export function PopoverClose({ children }: { readonly children: ReactElement }) {
  return <Base.Close render={children} />;
}

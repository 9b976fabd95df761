import { useEffect, type ReactNode } from 'react';
import css from './page.module.css';

interface PageProps {
  readonly title: string;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
  /** A page of one full-height table has no margins and does not scroll by itself. */
  readonly isFull?: boolean;
  readonly children: ReactNode;
}

/** A page: its heading, what can be done on it, and what it shows. */
export function Page({ title, intro, actions, isFull = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Quarry`;
  }, [title]);
  return (
    <div className={isFull ? css.full : css.page}>
      <header className={css.head}>
        <div className={css.titles}>
          <h1 title={title}>{title}</h1>
          {intro && <div className={css.intro}>{intro}</div>}
        </div>
        {actions && <div className={css.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

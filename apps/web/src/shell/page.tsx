import { useEffect, type ReactNode } from 'react';
import css from './page.module.css';

/** Names the page in the tab of the browser. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Quarry`;
  }, [title]);
}

interface PageProps {
  readonly title: string;
  /** Name of the page in the tab of the browser, where its heading is that of several pages. */
  readonly tabTitle?: string | undefined;
  readonly intro?: ReactNode;
  readonly actions?: ReactNode;
  /** For pages of a single full-height table: no margins, and no scrolling of the page. */
  readonly isFull?: boolean;
  readonly children: ReactNode;
}

/** A page with its heading, actions and content. */
export function Page({ title, tabTitle = title, intro, actions, isFull = false, children }: PageProps) {
  usePageTitle(tabTitle);
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

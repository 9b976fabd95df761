import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, callApp, describeError } from '../api/http';
import { startLive } from '../api/live';
import { switchMode, useMode } from '../api/mode';
import { balanceQuery, sessionQuery } from '../api/queries';
import { queryClient } from '../api/query-client';
import { forgetSession } from '../sign-in/known-session';
import { Button, Switch } from '../ui/controls';
import { formatCredits } from '../ui/format';
import { showToast, Toasts } from '../ui/toasts';
import { Icon, Logo, type IconName } from './icons';
import { keepFocus } from './keep-focus';
import { keepScroll } from './keep-scroll';
import css from './shell.module.css';
import { chooseTheme, THEMES, useTheme } from './theme';

const PLACES: ReadonlyArray<{ to: string; label: string; icon: IconName }> = [
  { to: '/runs', label: 'Runs', icon: 'runs' },
  { to: '/go', label: 'Research', icon: 'go' },
  { to: '/monitors', label: 'Monitors', icon: 'monitors' },
  { to: '/tables', label: 'Tables', icon: 'tables' },
  { to: '/sequences', label: 'Sequences', icon: 'sequences' },
  { to: '/inbox', label: 'Inbox', icon: 'inbox' },
  { to: '/approvals', label: 'Approvals', icon: 'approvals' },
  { to: '/batches', label: 'Batches', icon: 'batches' },
  { to: '/services', label: 'Services', icon: 'services' },
  { to: '/exclusions', label: 'Exclusions', icon: 'exclusions' },
  { to: '/credits', label: 'Credits', icon: 'credits' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
];

/** Shows the frame around every page of a signed-in user. */
export function Shell() {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const { pathname } = useLocation();
  const router = useRouter();
  const mode = useMode();
  const { error } = useQuery(balanceQuery());
  const isAway = error instanceof ApiError && error.status === 0;
  useEffect(() => setMenuOpen(false), [pathname]);
  useEffect(() => {
    const leaving = new AbortController();
    startLive(leaving.signal);
    keepFocus(leaving.signal);
    keepScroll(router, leaving.signal);
    return () => leaving.abort();
  }, [router]);
  useEffect(() => {
    if (!isMenuOpen) return;
    const closeOnEscape = ({ key }: KeyboardEvent) => key === 'Escape' && setMenuOpen(false);
    addEventListener('keydown', closeOnEscape);
    return () => {
      removeEventListener('keydown', closeOnEscape);
      // The menu is hidden now, so the focus moves to the page.
      if (document.activeElement?.closest('#main-navigation'))
        document.getElementById('main')?.focus({ preventScroll: true });
    };
  }, [isMenuOpen]);
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#main">
        Skip to content
      </a>
      <header className={css.header}>
        <Link to="/runs" className={css.brand} aria-label="Quarry">
          <Logo />
          <span>Quarry</span>
        </Link>
        <HeaderTools />
        <button
          type="button"
          className={css.menu}
          aria-expanded={isMenuOpen}
          aria-controls="main-navigation"
          aria-label="Menu"
          onClick={() => setMenuOpen(!isMenuOpen)}
        >
          <Icon name="menu" /> <span>Menu</span>
        </button>
      </header>
      <nav id="main-navigation" aria-label="Main" className={css.nav} data-open={isMenuOpen}>
        <ul>
          {PLACES.map(({ to, label, icon }) => (
            <li key={to}>
              <Link to={to} className={css.place} activeProps={{ 'aria-current': 'page' }}>
                <Icon name={icon} />
                {label}
              </Link>
            </li>
          ))}
        </ul>
        <Account />
      </nav>
      <main id="main" className={css.main} tabIndex={-1} key={mode}>
        <Outlet />
      </main>
      <Toasts lasting={isAway ? 'The connection to Quarry is lost. Updates resume when it is back.' : null} />
    </div>
  );
}

function HeaderTools() {
  const mode = useMode();
  const theme = useTheme();
  const navigate = useNavigate();
  const balance = useQuery(balanceQuery());
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return (
    <div className={css.tools}>
      {balance.data && (
        <Link to="/credits" className={css.balance}>
          {formatCredits(balance.data.remaining)}
          {balance.data.reserved > 0 && (
            <span className={css.reserved}> {formatCredits(balance.data.reserved)} reserved</span>
          )}
        </Link>
      )}
      <Switch
        label="Test mode"
        look="amber"
        isOn={mode === 'test'}
        onChange={(isTest) => {
          switchMode(isTest ? 'test' : 'live');
          void navigate({ to: '/runs' });
        }}
      />
      <Button
        look="quiet"
        size="small"
        aria-label={`Theme: ${theme}`}
        title={`Theme: ${theme}`}
        onClick={() => chooseTheme(next)}
      >
        <Icon name="theme" />
      </Button>
    </div>
  );
}

function Account() {
  const session = useQuery(sessionQuery);
  const navigate = useNavigate();
  if (!session.data) return null;
  const { user, organisation } = session.data;
  return (
    <div className={css.account}>
      <div className={css.organisation}>{organisation.name}</div>
      <div className={css.email} title={user.email}>
        {user.role === 'viewer' && 'Viewer: '}
        {user.email}
      </div>
      <Button
        look="quiet"
        size="small"
        onClick={() =>
          void callApp('/session', { method: 'DELETE' }).then(
            () => {
              forgetSession();
              queryClient.clear();
              void navigate({ to: '/login' });
            },
            // The session may still be open.
            (error) => showToast(describeError(error)),
          )
        }
      >
        Sign out
      </Button>
    </div>
  );
}

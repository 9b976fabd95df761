import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { NOT_ALLOWED, useMay, type Task } from '../api/may';
import { Page } from '../shell/page';
import { controls, Notice } from '../ui/controls';

/** Parts of the settings; those with a task are only for its roles. */
const PARTS: ReadonlyArray<{ to: string; label: string; task?: Task }> = [
  { to: '/settings/keys', label: 'API keys' },
  { to: '/settings/providers', label: 'Providers' },
  { to: '/settings/webhooks', label: 'Webhooks' },
  { to: '/settings/destinations', label: 'Destinations' },
  { to: '/settings/mailboxes', label: 'Mailboxes' },
  { to: '/settings/suppressions', label: 'Suppressions' },
  { to: '/settings/members', label: 'Members', task: 'change' },
  { to: '/settings/sessions', label: 'Sessions' },
  { to: '/settings/audit', label: 'Audit log', task: 'administer' },
  { to: '/settings/data', label: 'Data' },
];

export function SettingsPage() {
  const may: Readonly<Record<Task, boolean>> = { change: useMay('change'), administer: useMay('administer') };
  const open = PARTS.filter(({ task }) => !task || may[task]);
  const { pathname } = useLocation();
  // An unknown address is left to the router, which says that there is no such page.
  const part = PARTS.find(({ to }) => pathname === to);
  const isKept = part && !open.some(({ to }) => pathname === to);
  const tabs = useRef<HTMLElement>(null);
  // On a narrow screen the tabs scroll, and the current one may be out of sight.
  useEffect(() => {
    tabs.current
      ?.querySelector('[aria-current="page"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname, open.length]);
  return (
    <Page title="Settings" tabTitle={part && `${part.label} · Settings`}>
      <nav ref={tabs} aria-label="Settings" className={controls.tabs}>
        {open.map(({ to, label }) => (
          <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
            {label}
          </Link>
        ))}
      </nav>
      {isKept ? <Notice look="amber">{NOT_ALLOWED}</Notice> : <Outlet />}
    </Page>
  );
}

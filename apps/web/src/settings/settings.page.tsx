import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sessionQuery } from '../api/queries';
import { Page } from '../shell/page';
import { controls } from '../ui/controls';

const PARTS = [
  { to: '/settings/keys', label: 'API keys' },
  { to: '/settings/providers', label: 'Providers' },
  { to: '/settings/webhooks', label: 'Webhooks' },
  { to: '/settings/destinations', label: 'Destinations' },
  { to: '/settings/mailboxes', label: 'Mailboxes' },
  { to: '/settings/suppressions', label: 'Suppressions' },
  { to: '/settings/members', label: 'Members' },
  { to: '/settings/sessions', label: 'Sessions' },
  { to: '/settings/audit', label: 'Audit log', isForOwners: true },
  { to: '/settings/data', label: 'Data' },
] as const;

export function SettingsPage() {
  const session = useQuery(sessionQuery);
  const isOwner = session.data?.user.role === 'owner';
  const { pathname } = useLocation();
  const tabs = useRef<HTMLElement>(null);
  // On a narrow screen the tabs scroll, and the current one may be out of sight.
  useEffect(() => {
    tabs.current
      ?.querySelector('[aria-current="page"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname, isOwner]);
  return (
    <Page title="Settings">
      <nav ref={tabs} aria-label="Settings" className={controls.tabs}>
        {PARTS.filter((part) => isOwner || !('isForOwners' in part)).map(({ to, label }) => (
          <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  );
}

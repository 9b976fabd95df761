import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { sessionQuery } from '../api/queries';
import type { Role } from '../api/resources';
import { Page } from '../shell/page';
import { controls } from '../ui/controls';

/** Parts of the settings; those with roles are for these alone. */
const PARTS: ReadonlyArray<{ to: string; label: string; roles?: readonly Role[] }> = [
  { to: '/settings/keys', label: 'API keys' },
  { to: '/settings/providers', label: 'Providers' },
  { to: '/settings/webhooks', label: 'Webhooks' },
  { to: '/settings/destinations', label: 'Destinations' },
  { to: '/settings/mailboxes', label: 'Mailboxes' },
  { to: '/settings/suppressions', label: 'Suppressions' },
  { to: '/settings/members', label: 'Members', roles: ['owner', 'member'] },
  { to: '/settings/sessions', label: 'Sessions' },
  { to: '/settings/audit', label: 'Audit log', roles: ['owner'] },
  { to: '/settings/data', label: 'Data' },
];

export function SettingsPage() {
  const session = useQuery(sessionQuery);
  const role = session.data?.user.role;
  const { pathname } = useLocation();
  const tabs = useRef<HTMLElement>(null);
  // On a narrow screen the tabs scroll, and the current one may be out of sight.
  useEffect(() => {
    tabs.current
      ?.querySelector('[aria-current="page"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname, role]);
  return (
    <Page title="Settings">
      <nav ref={tabs} aria-label="Settings" className={controls.tabs}>
        {PARTS.filter(({ roles }) => !roles || (role && roles.includes(role))).map(({ to, label }) => (
          <Link key={to} to={to} activeProps={{ 'aria-current': 'page' }}>
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { sessionQuery } from '../api/queries';
import { Page } from '../shell/page';
import { controls } from '../ui/controls';

const PARTS = [
  { to: '/settings/keys', label: 'API keys' },
  { to: '/settings/providers', label: 'Providers' },
  { to: '/settings/webhooks', label: 'Webhooks' },
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
  return (
    <Page title="Settings">
      <nav aria-label="Settings" className={controls.tabs}>
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

import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ApiError, callApp } from './api/http';
import { sessionQuery } from './api/queries';
import { queryClient } from './api/query-client';
import { usePageTitle } from './shell/page';
import { Shell } from './shell/shell';
import { readSearch, writeSearch } from './search-text';
import { rememberSession } from './sign-in/known-session';
import { controls, EmptyState, ErrorNotice, Skeletons } from './ui/controls';

/** The parameters of an address: a text, or a list for a repeated name. */
export type Search = Readonly<Record<string, string | readonly string[] | undefined>>;
const textOf = (search: Record<string, unknown>, name: string) =>
  typeof search[name] === 'string' ? search[name] : undefined;

/** @throws ApiError when Quarry cannot be reached */
async function findServer(): Promise<void> {
  try {
    await callApp('/session');
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unreachable') throw error;
  }
}

/**
 * Loads the code of a page when it is first shown. If it is gone after an upgrade, the router reloads the application. While no
 * server answers, a reload would leave an empty page, so this waits.
 */
const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    try {
      return await load();
    } catch (error) {
      await findServer();
      throw error;
    }
  }, name);

function PagePending() {
  return (
    <div className={controls.pageState}>
      <Skeletons />
    </div>
  );
}

/** Says within the frame why a page could not be shown. */
function PageError({ error }: { error: unknown }) {
  const reload = () => findServer().then(() => location.reload());
  return (
    <div className={controls.pageState}>
      <ErrorNotice error={error} onRetry={() => void reload().catch(() => undefined)} />
    </div>
  );
}

function NoSuchPage() {
  usePageTitle('Page not found');
  return (
    <EmptyState title="Page not found" action={<Link to="/runs">Go to runs</Link>}>
      The address may be mistyped, or the page was removed.
    </EmptyState>
  );
}

const rootRoute = createRootRoute({ component: Outlet });

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: (search): { next?: string | undefined } => ({ next: textOf(search, 'next') }),
  component: lazyPage(() => import('./sign-in/sign-in.page'), 'SignInPage'),
});
const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyPage(() => import('./sign-in/invitation.page'), 'InvitationPage'),
});

const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      const { user } = await queryClient.ensureQueryData(sessionQuery);
      rememberSession(user.id);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        redirect({ to: '/login', search: { next: location.href }, throw: true });
      throw error;
    }
  },
  errorComponent: ({ error }) => <ErrorNotice error={error} onRetry={() => void router.invalidate()} />,
});
const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    redirect({ to: '/runs', throw: true });
  },
});

const inShell = { getParentRoute: () => shellRoute } as const;
const runsRoute = createRoute({
  ...inShell,
  path: '/runs',
  validateSearch: (search): { prompt?: string | undefined } => ({ prompt: textOf(search, 'prompt') }),
  component: lazyPage(() => import('./runs/runs.page'), 'RunsPage'),
});
const runRoute = createRoute({
  ...inShell,
  path: '/runs/$runId',
  component: lazyPage(() => import('./runs/run.page'), 'RunPage'),
});
const monitorsRoute = createRoute({
  ...inShell,
  path: '/monitors',
  component: lazyPage(() => import('./monitors/monitors.page'), 'MonitorsPage'),
});
const tablesRoute = createRoute({
  ...inShell,
  path: '/tables',
  component: lazyPage(() => import('./tables/tables.page'), 'TablesPage'),
});

/** View of a table, stored entirely in the address. */
export interface TableSearch {
  /** Column keys in order of importance, separated by commas, with `-` for descending. */
  readonly sort?: string | undefined;
  /** `key:op:value`, once for each filter. */
  readonly filter?: readonly string[] | undefined;
  readonly fit?: string | undefined;
  readonly q?: string | undefined;
  /** `row id/column key` of the explained cell. */
  readonly cell?: string | undefined;
}
const tableRoute = createRoute({
  ...inShell,
  path: '/tables/$tableId',
  validateSearch: (search): TableSearch => ({
    sort: textOf(search, 'sort'),
    filter: search.filter === undefined ? undefined : [search.filter].flat().map(String),
    fit: textOf(search, 'fit'),
    q: textOf(search, 'q'),
    cell: textOf(search, 'cell'),
  }),
  component: lazyPage(() => import('./tables/table.page'), 'TablePage'),
});
const workspaceRoute = createRoute({
  ...inShell,
  path: '/workspaces/$workspaceId',
  component: lazyPage(() => import('./tables/workspace.page'), 'WorkspacePage'),
});
const sequencesRoute = createRoute({
  ...inShell,
  path: '/sequences',
  component: lazyPage(() => import('./outreach/sequences.page'), 'SequencesPage'),
});
export const SEQUENCE_PARTS = ['messages', 'people', 'preview', 'results'] as const;
export type SequencePart = (typeof SEQUENCE_PARTS)[number];
const sequenceRoute = createRoute({
  ...inShell,
  path: '/sequences/$sequenceId',
  validateSearch: (search): { part?: SequencePart | undefined } => ({
    part: SEQUENCE_PARTS.find((part) => part === search.part),
  }),
  component: lazyPage(() => import('./outreach/sequence.page'), 'SequencePage'),
});
const inboxRoute = createRoute({
  ...inShell,
  path: '/inbox',
  validateSearch: (search): { thread?: string | undefined } => ({ thread: textOf(search, 'thread') }),
  component: lazyPage(() => import('./outreach/inbox.page'), 'InboxPage'),
});
const approvalsRoute = createRoute({
  ...inShell,
  path: '/approvals',
  validateSearch: (search): { approval?: string | undefined } => ({ approval: textOf(search, 'approval') }),
  component: lazyPage(() => import('./outreach/approvals.page'), 'ApprovalsPage'),
});
const batchesRoute = createRoute({
  ...inShell,
  path: '/batches',
  component: lazyPage(() => import('./batches/batches.page'), 'BatchesPage'),
});
const batchRoute = createRoute({
  ...inShell,
  path: '/batches/$batchId',
  component: lazyPage(() => import('./batches/batch.page'), 'BatchPage'),
});
const servicesRoute = createRoute({
  ...inShell,
  path: '/services',
  component: lazyPage(() => import('./services/services.page'), 'ServicesPage'),
});
const serviceRoute = createRoute({
  ...inShell,
  path: '/services/$name',
  component: lazyPage(() => import('./services/service.page'), 'ServicePage'),
});
const goRoute = createRoute({
  ...inShell,
  path: '/go',
  component: lazyPage(() => import('./go/go.page'), 'GoPage'),
});
const exclusionsRoute = createRoute({
  ...inShell,
  path: '/exclusions',
  validateSearch: (search): { kind?: 'companies' | 'people' | undefined } => ({
    kind: search.kind === 'people' ? 'people' : undefined,
  }),
  component: lazyPage(() => import('./exclusions/exclusions.page'), 'ExclusionsPage'),
});
const creditsRoute = createRoute({
  ...inShell,
  path: '/credits',
  component: lazyPage(() => import('./credits/credits.page'), 'CreditsPage'),
});

const settingsRoute = createRoute({
  ...inShell,
  path: '/settings',
  component: lazyPage(() => import('./settings/settings.page'), 'SettingsPage'),
  notFoundComponent: NoSuchPage,
});
const inSettings = { getParentRoute: () => settingsRoute } as const;
const settingsIndexRoute = createRoute({
  ...inSettings,
  path: '/',
  beforeLoad: () => {
    redirect({ to: '/settings/keys', throw: true });
  },
});
const settings = [
  createRoute({
    ...inSettings,
    path: 'keys',
    component: lazyPage(() => import('./settings/keys.page'), 'KeysPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'providers',
    component: lazyPage(() => import('./settings/providers.page'), 'ProvidersPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'webhooks',
    component: lazyPage(() => import('./settings/webhooks.page'), 'WebhooksPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'destinations',
    validateSearch: (search): Partial<Record<'destination' | 'push', string | undefined>> => ({
      destination: textOf(search, 'destination'),
      push: textOf(search, 'push'),
    }),
    component: lazyPage(() => import('./settings/destinations.page'), 'DestinationsPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'mailboxes',
    validateSearch: (search): { connect?: string | undefined } => ({ connect: textOf(search, 'connect') }),
    component: lazyPage(() => import('./settings/mailboxes.page'), 'MailboxesPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'suppressions',
    component: lazyPage(() => import('./settings/suppressions.page'), 'SuppressionsPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'members',
    component: lazyPage(() => import('./settings/members.page'), 'MembersPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'sessions',
    component: lazyPage(() => import('./settings/sessions.page'), 'SessionsPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'audit',
    component: lazyPage(() => import('./settings/audit.page'), 'AuditPage'),
  }),
  createRoute({
    ...inSettings,
    path: 'data',
    component: lazyPage(() => import('./settings/data.page'), 'DataPage'),
  }),
] as const;

const routeTree = rootRoute.addChildren([
  loginRoute,
  invitationRoute,
  indexRoute,
  shellRoute.addChildren([
    runsRoute,
    runRoute,
    monitorsRoute,
    tablesRoute,
    tableRoute,
    workspaceRoute,
    sequencesRoute,
    sequenceRoute,
    inboxRoute,
    approvalsRoute,
    batchesRoute,
    batchRoute,
    servicesRoute,
    serviceRoute,
    goRoute,
    exclusionsRoute,
    creditsRoute,
    settingsRoute.addChildren([settingsIndexRoute, ...settings]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/app',
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  // On a slow network a press is answered before the page is loaded.
  defaultPendingMs: 300,
  defaultPendingComponent: PagePending,
  scrollRestoration: false,
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: () => (
    <main>
      <h1 className="visually-hidden">Quarry</h1>
      <NoSuchPage />
    </main>
  ),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { findRoleBy, handleSignedOut } from './api/http';
import { sessionQuery } from './api/queries';
import { queryClient } from './api/query-client';
import { router } from './router';
import { startTheme } from './shell/theme';

startTheme();
handleSignedOut(() => {
  const { pathname, searchStr } = router.state.location;
  if (pathname.startsWith('/login') || pathname.startsWith('/invitation')) return;
  queryClient.clear();
  void router.navigate({ to: '/login', search: { next: pathname + searchStr } });
});
findRoleBy(() =>
  queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).then(
    ({ user }) => user.role,
    () => null,
  ),
);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

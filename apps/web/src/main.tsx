import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { handleNothingToChange, handleRequest, handleSignedOut } from './api/http';
import { sessionQuery } from './api/queries';
import { queryClient } from './api/query-client';
import { router } from './router';
import { startTheme } from './shell/theme';
import { waitForSession } from './sign-in/ended-session';
import { hadSession, isOfOtherUser } from './sign-in/known-session';
import { SessionEnded } from './sign-in/session-ended';
import { showToast } from './ui/toasts';

startTheme();
/** Reloads the page when another user has signed in in another tab: nothing of one account may be sent by another. */
function leaveToOtherUser(): boolean {
  const isOther = isOfOtherUser();
  if (isOther) location.reload();
  return isOther;
}
handleRequest(leaveToOtherUser);
addEventListener('storage', leaveToOtherUser);
handleSignedOut(() => {
  const { pathname, searchStr } = router.state.location;
  if (pathname.startsWith('/login') || pathname.startsWith('/invitation')) return null;
  if (hadSession() && queryClient.getQueryData(sessionQuery.queryKey)) return waitForSession();
  queryClient.clear();
  void router.navigate({ to: '/login', search: { next: pathname + searchStr } });
  return null;
});
// The role may have changed since the page was opened.
handleNothingToChange(() => {
  const before = queryClient.getQueryData(sessionQuery.queryKey)?.user.role;
  void queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 }).then(
    ({ user: { role } }) => {
      if (before && role !== before) showToast(`Your role is now “${role}”, which does not allow this.`);
    },
    () => undefined,
  );
});

// A held Enter repeats: the press after the one that asks for a confirmation would confirm it unread.
document.addEventListener('keydown', (event) => {
  const isNewLine = event.target instanceof HTMLTextAreaElement;
  if (event.repeat && event.key === 'Enter' && !isNewLine) event.preventDefault();
});

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <SessionEnded />
    </QueryClientProvider>
  </StrictMode>,
);

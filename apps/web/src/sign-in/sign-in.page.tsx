import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, type SubmitEvent } from 'react';
import { ApiError, callApp } from '../api/http';
import { sessionQuery } from '../api/queries';
import { queryClient } from '../api/query-client';
import type { Session } from '../api/resources';
import { Logo } from '../shell/icons';
import { usePageTitle } from '../shell/page';
import { Button, ErrorNotice, Notice, TextField } from '../ui/controls';
import { hadSession } from './known-session';
import css from './sign-in.module.css';

type Credentials = { email: string; password: string } | { link: string };

/** The browser answered a cookie, and sends none back: it was dropped. */
class CookieDropped extends Error {}

interface SignedIn {
  readonly session: Session;
  /** Session of another user that the link replaced; null if there was none. */
  readonly replaced: Session | null;
}

async function signIn(credentials: Credentials): Promise<SignedIn> {
  const before = 'link' in credentials ? await callApp<Session>('/session').catch(() => null) : null;
  try {
    await callApp<Session>('/session', { method: 'POST', body: credentials });
  } catch (error) {
    // A signed-in user opened a used link again, from a terminal or a bookmark.
    if (before) return { session: before, replaced: null };
    throw error;
  }
  try {
    const session = await callApp<Session>('/session');
    return { session, replaced: before?.user.id === session.user.id ? null : before };
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) throw new CookieDropped();
    throw error;
  }
}

/** @returns an address of this application; null for one that leads out of it */
function ownAddress(next: string | undefined): string | null {
  return next?.startsWith('/') && !/^\/[/\\]/.test(next) ? next.replace(/^\/app(?=\/)/, '') : null;
}

export function SignInPage() {
  const { next } = useSearch({ from: '/login' });
  const navigate = useNavigate();
  const goOn = () => void navigate({ to: ownAddress(next) ?? '/runs', replace: true });
  const mutation = useMutation({
    mutationFn: signIn,
    onSuccess: ({ session, replaced }) => {
      queryClient.setQueryData(sessionQuery.queryKey, session);
      if (!replaced) goOn();
    },
  });
  const { mutate, data: signedIn } = mutation;
  const usedLink = useRef(false);
  useEffect(() => {
    const link = location.hash.slice(1);
    if (!link || usedLink.current) return;
    usedLink.current = true;
    // The link is good for one use: it does not stay in the address or in the history.
    history.replaceState(history.state, '', location.pathname + location.search);
    mutate({ link });
  }, [mutate]);
  usePageTitle('Sign in');

  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    mutate({ email: String(form.get('email')), password: String(form.get('password')) });
  };
  if (signedIn?.replaced)
    return (
      <main className={css.page}>
        <section className={css.form}>
          <div className={css.brand}>
            <Logo />
            <h1>Another account</h1>
          </div>
          {/* Without this notice a forwarded link would sign its reader in to another account unnoticed. */}
          <Notice look="amber">
            This link signed the browser in as {signedIn.session.user.email} of{' '}
            {signedIn.session.organisation.name}. Before, it was {signedIn.replaced.user.email}.
          </Notice>
          <Button look="primary" onClick={goOn}>
            Continue with this account
          </Button>
          <Button
            onClick={() => void callApp('/session', { method: 'DELETE' }).finally(() => location.reload())}
          >
            Sign out
          </Button>
        </section>
      </main>
    );
  return (
    <main className={css.page}>
      <form className={css.form} onSubmit={submit}>
        <div className={css.brand}>
          <Logo />
          <h1>Sign in to Quarry</h1>
        </div>
        {next && mutation.isIdle && hadSession() && (
          <Notice look="amber">
            Your session has ended. Sign in again to return to the page that you were on.
          </Notice>
        )}
        <SignInProblem
          error={mutation.error}
          onRetry={
            mutation.variables && 'link' in mutation.variables ? () => mutate(mutation.variables) : undefined
          }
        />
        <TextField label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <Button type="submit" look="primary" isBusy={mutation.isPending}>
          Sign in
        </Button>
        <p className={css.hint}>
          First time on this machine? <code>npm start</code> prints a link that signs you in; address and
          password are in <code>credentials.json</code>.
        </p>
      </form>
    </main>
  );
}

interface SignInProblemProps {
  readonly error: unknown;
  /** Uses the link again, which is no longer in the address; undefined without one. */
  readonly onRetry: (() => void) | undefined;
}

function SignInProblem({ error, onRetry }: SignInProblemProps) {
  if (error instanceof CookieDropped)
    return (
      <Notice look="amber">
        Your browser dropped the session cookie, because this page came over plain http from{' '}
        {location.hostname}. Open Quarry at http://localhost on the machine that it runs on, or put https in
        front of it.
      </Notice>
    );
  if (error instanceof ApiError && error.status === 401)
    return (
      <Notice look="red">
        {onRetry ? 'This link has been used or has expired.' : 'The e-mail or the password is wrong.'} The
        operator creates a new link with <code>npm run admin -- user:login-link</code>.
      </Notice>
    );
  return <ErrorNotice error={error} {...(onRetry ? { onRetry } : {})} />;
}

import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, type SubmitEvent } from 'react';
import { createPortal } from 'react-dom';
import { ApiError, callApp } from '../api/http';
import { sessionQuery } from '../api/queries';
import { queryClient } from '../api/query-client';
import type { Session } from '../api/resources';
import { Button, ErrorNotice, Notice, TextField } from '../ui/controls';
import { resumeRequests, useSessionEnded } from './ended-session';
import css from './sign-in.module.css';

/** Asks for the password in front of the page when the session has ended. The page stays as it is, with what was typed. */
export function SessionEnded() {
  const session = queryClient.getQueryData(sessionQuery.queryKey);
  // A portal: other dialogs hide everything that is in the page from screen readers.
  return useSessionEnded() && session ? createPortal(<SignInAgain session={session} />, document.body) : null;
}

function goOn(session: Session, next: Session): void {
  // Nothing of one account may be sent by another.
  if (next.user.id !== session.user.id) return location.reload();
  queryClient.setQueryData(sessionQuery.queryKey, next);
  resumeRequests();
}

function SignInAgain({ session }: { readonly session: Session }) {
  const { email } = session.user;
  const dialog = useRef<HTMLDialogElement>(null);
  const { mutate, error, isPending } = useMutation({
    mutationFn: (password: string) =>
      callApp<Session>('/session', { method: 'POST', body: { email, password } }),
    onSuccess: (next) => goOn(session, next),
  });
  useEffect(() => {
    const leaving = new AbortController();
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLInputElement>('[type=password]')?.focus();
    // The user may have signed in in another tab.
    const lookForSession = () => {
      void callApp<Session>('/session').then(
        (next) => !leaving.signal.aborted && goOn(session, next),
        () => undefined,
      );
    };
    addEventListener('focus', lookForSession, { signal: leaving.signal });
    return () => leaving.abort();
  }, [session]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate(String(new FormData(event.currentTarget).get('password')));
  };
  return (
    <dialog
      ref={dialog}
      className={css.ended}
      aria-labelledby="session-ended"
      onCancel={(event) => event.preventDefault()}
      // Browsers let a second Escape pass.
      onClose={() => dialog.current?.showModal()}
    >
      <form className={css.form} onSubmit={submit}>
        <h1 id="session-ended">Your session has ended</h1>
        {error instanceof ApiError && error.status === 401 ? (
          <Notice look="red">The password is wrong.</Notice>
        ) : (
          <ErrorNotice error={error} />
        )}
        <p className={css.hint}>Sign in again to go on. What you have typed on this page is still there.</p>
        <TextField label="E-mail" name="email" autoComplete="username" value={email} readOnly />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
        />
        <Button type="submit" look="primary" isBusy={isPending}>
          Sign in
        </Button>
        <Button look="quiet" onClick={() => location.reload()}>
          Leave this page
        </Button>
      </form>
    </dialog>
  );
}

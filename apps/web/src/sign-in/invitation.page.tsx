import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { callApp } from '../api/http';
import { sessionQuery } from '../api/queries';
import { queryClient } from '../api/query-client';
import type { Session } from '../api/resources';
import { Logo } from '../shell/icons';
import { usePageTitle } from '../shell/page';
import { Button, ErrorNotice, TextField } from '../ui/controls';
import css from './sign-in.module.css';

/** The page of an invitation link: a name and a password create the account. */
export function InvitationPage() {
  usePageTitle('Join your team');
  const navigate = useNavigate();
  const [token] = useState(() => location.hash.slice(1));
  const mutation = useMutation({
    mutationFn: (body: { token: string; name: string; password: string }) =>
      callApp<Session>('/invitations', { method: 'POST', body }),
    onSuccess: (session) => {
      // The new account is signed in now, in place of any earlier user of this browser.
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, session);
      void navigate({ to: '/runs', replace: true });
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    mutation.mutate({ token, name: String(form.get('name')), password: String(form.get('password')) });
  };
  return (
    <main className={css.page}>
      <form className={css.form} onSubmit={submit}>
        <div className={css.brand}>
          <Logo />
          <h1>Join your team on Quarry</h1>
        </div>
        <ErrorNotice error={mutation.error} />
        <TextField label="Name" name="name" autoComplete="name" required maxLength={100} autoFocus />
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          hint="At least 10 characters."
        />
        <Button type="submit" look="primary" isBusy={mutation.isPending}>
          Join
        </Button>
      </form>
    </main>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type SubmitEvent } from 'react';
import { callApp } from '../api/http';
import { useMay } from '../api/may';
import { appListQuery, refreshQueries, sessionQuery } from '../api/queries';
import type { Member, Role } from '../api/resources';
import { useAction } from '../api/use-action';
import {
  Badge,
  Button,
  controls,
  ErrorNotice,
  Notice,
  Options,
  QueryResult,
  SelectField,
  TextField,
} from '../ui/controls';
import { DataTable } from '../ui/data-table';
import { CopyField } from '../ui/copy-field';
import { Dialog } from '../ui/dialog';
import { formatDay } from '../ui/format';

const ROLES: Readonly<Record<Role, string>> = {
  owner: 'Owner: everything',
  member: 'Member: everything except members and erasure',
  viewer: 'Viewer: read-only',
};

const JOIN_POLL_MS = 15_000;

export function MembersPage() {
  const members = useQuery({
    ...appListQuery<Member>('members'),
    // Polls, because the stream does not report new members.
    refetchInterval: ({ state }) =>
      state.data?.items.some(({ status }) => status === 'invited') ? JOIN_POLL_MS : false,
  });
  useEffect(() => {
    const readAnew = () => refreshQueries('app');
    addEventListener('focus', readAnew);
    return () => removeEventListener('focus', readAnew);
  }, []);
  const session = useQuery(sessionQuery);
  const isOwner = useMay('administer');
  const [isInviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member | null>(null);
  const change = useMutation({
    mutationFn: ({ id, role }: { id: string; role: string }) =>
      callApp(`/members/${id}`, { method: 'PATCH', body: { role } }),
    onSettled: () => refreshQueries('app'),
  });
  return (
    <section className={controls.stack}>
      <div className={controls.spread}>
        <p className={controls.muted}>
          Who can see and spend for {session.data?.organisation.name ?? 'your organisation'}.
        </p>
        {isOwner && (
          <Button look="primary" onClick={() => setInviting(true)}>
            Invite
          </Button>
        )}
      </div>
      <ErrorNotice error={change.error} />
      <QueryResult query={members}>
        {({ items }) => (
          <DataTable
            label="Members"
            rows={items}
            keyOf={({ id }) => id}
            columns={{
              Person: (member) => (
                <>
                  {member.name ?? member.email}{' '}
                  {member.status === 'invited' && <Badge look="warn">invited</Badge>}
                  {member.name && <div className={controls.muted}>{member.email}</div>}
                </>
              ),
              // The role of an invitation is fixed: another one needs a new invitation.
              Role: (member) =>
                isOwner && member.status !== 'invited' ? (
                  <RoleChoice
                    key={member.role}
                    member={member}
                    isBusy={change.isPending && change.variables.id === member.id}
                    onChange={(role) => change.mutate({ id: member.id, role })}
                  />
                ) : (
                  member.role
                ),
              Since: (member) => formatDay(member.created_at),
              Remove: {
                action: (member) =>
                  isOwner &&
                  member.id !== session.data?.user.id && (
                    <Button
                      size="small"
                      look="danger"
                      aria-label={`Remove ${member.email}`}
                      onClick={() => setLeaving(member)}
                    >
                      Remove
                    </Button>
                  ),
              },
            }}
          />
        )}
      </QueryResult>
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {leaving && <RemoveDialog member={leaving} onClose={() => setLeaving(null)} />}
    </section>
  );
}

interface RoleChoiceProps {
  readonly member: Member;
  readonly isBusy: boolean;
  readonly onChange: (role: string) => void;
}

/** Chooses the role of a member. A button applies it, because the arrow keys of a keyboard pass through every role. */
function RoleChoice({ member: { email, role }, isBusy, onChange }: RoleChoiceProps) {
  const [chosen, setChosen] = useState<string>(role);
  return (
    <div className={controls.row}>
      <select
        className={controls.input}
        aria-label={`Role of ${email}`}
        value={chosen}
        onChange={({ target }) => setChosen(target.value)}
      >
        <Options of={Object.entries(ROLES)} />
      </select>
      {chosen !== role && (
        <Button
          size="small"
          look="primary"
          aria-label={`Change role of ${email}`}
          isBusy={isBusy}
          onClick={() => onChange(chosen)}
        >
          Change role
        </Button>
      )}
    </div>
  );
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useMutation({
    mutationFn: (body: { email: string; role: string }) =>
      callApp<{ invitation_link: string }>('/members', { method: 'POST', body }),
    // After a failure, too: the invitation may exist already.
    onSettled: () => refreshQueries('app'),
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    invite.mutate({ email: String(form.get('email')), role: String(form.get('role')) });
  };
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      {invite.data ? (
        <>
          <Notice>Send this link to the person. It works once, within seven days.</Notice>
          <CopyField label="Invitation link" value={invite.data.invitation_link} />
        </>
      ) : (
        <form className={controls.stack} onSubmit={submit}>
          <TextField label="E-mail" name="email" type="email" required autoFocus />
          <SelectField label="Role" name="role" defaultValue="member">
            <Options of={Object.entries(ROLES)} />
          </SelectField>
          <ErrorNotice error={invite.error} />
          <Button type="submit" look="primary" isBusy={invite.isPending}>
            Create link
          </Button>
        </form>
      )}
    </Dialog>
  );
}

function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const remove = useAction({
    mutationFn: () => callApp(`/members/${member.id}`, { method: 'DELETE' }),
    onDone: onClose,
    // After a failure, too: the member may be removed already.
    onSettled: () => refreshQueries('app'),
  });
  return (
    <Dialog
      title={`Remove ${member.email}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep</Button>
          <Button look="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
            Remove
          </Button>
        </>
      }
    >
      <p>Their sessions end and their API keys are revoked. Tables and runs stay.</p>
      <ErrorNotice error={remove.error} />
    </Dialog>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/may';
import { destinationsQuery, pushesQuery } from '../api/queries';
import { DestinationDialog, PushBadge } from '../destinations/destination-dialog';
import { DestinationForm } from '../destinations/destination-form';
import { countSent, KINDS } from '../destinations/destination-text';
import { Button, controls, EmptyState, Notice } from '../ui/controls';
import { DataList } from '../ui/data-table';
import { Dialog } from '../ui/dialog';
import { Ago } from '../ui/ago';
import { formatCount, formatNumber } from '../ui/format';

/** Lists destinations; creates, opens, changes and removes them. */
export function DestinationsPage() {
  const destinations = useQuery(destinationsQuery());
  const navigate = useNavigate();
  const search = useSearch({ from: '/shell/settings/destinations' });
  const [isCreating, setCreating] = useState(false);
  const mayChange = useMay('change');
  const opened = destinations.data?.items.find(({ id }) => id === search.destination);
  const show = (destination?: string, push?: string) =>
    void navigate({
      to: '/settings/destinations',
      search: { destination, push },
      replace: destination === undefined,
    });
  return (
    <section className={controls.stack}>
      <div className={controls.spread}>
        <p className={controls.muted}>CRMs, sequencers and webhooks that rows of tables are pushed to.</p>
        {mayChange && (
          <Button look="primary" onClick={() => setCreating(true)}>
            Add destination
          </Button>
        )}
      </div>
      {destinations.data && search.destination && !opened && (
        <Notice look="amber">
          The destination of this link was deleted, or it is one of the other mode.
        </Notice>
      )}
      <DataList
        label="Destinations"
        query={destinations}
        empty={
          <EmptyState title="No destinations yet">
            A push sends the rows of a table that are new or have changed since they were last sent.
          </EmptyState>
        }
        keyOf={({ id }) => id}
        columns={{
          Name: {
            line: ({ id, name }) => (
              <Button look="quiet" size="small" onClick={() => show(id)}>
                {name}
              </Button>
            ),
          },
          Kind: ({ kind }) => KINDS[kind].label,
          'Last push': ({ id }) => <LastPush destinationId={id} />,
        }}
      />
      {isCreating && (
        <Dialog title="Add destination" onClose={() => setCreating(false)}>
          <DestinationForm onSaved={() => setCreating(false)} />
        </Dialog>
      )}
      {opened && (
        <DestinationDialog
          destination={opened}
          pushId={search.push}
          onOpenPush={(push) => show(opened.id, push)}
          onClose={() => show()}
        />
      )}
    </section>
  );
}

function LastPush({ destinationId }: { destinationId: string }) {
  const { data } = useQuery(pushesQuery(destinationId));
  const last = data?.items[0];
  if (!last) return <span className={controls.muted}>{data && 'none'}</span>;
  return (
    <>
      <PushBadge status={last.status} /> {formatCount(countSent(last.counts), 'row')}
      {last.counts.failed > 0 && `, ${formatNumber(last.counts.failed)} failed`}, <Ago at={last.created_at} />
    </>
  );
}

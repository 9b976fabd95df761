import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { callApi, describeError } from '../api/http';
import { May, useMay } from '../api/may';
import { exclusionsQuery, refreshQueries } from '../api/queries';
import type { ExclusionEntry, ExclusionKind, ExclusionsSynchronised } from '../api/resources';
import { Page } from '../shell/page';
import { Button, controls, EmptyState, ErrorNotice, Field, Notice, TextField } from '../ui/controls';
import { DataList } from '../ui/data-table';
import { useDraft } from '../ui/draft';
import { usePages } from '../ui/pager';
import { formatCount, formatDay, formatNumber } from '../ui/format';
import { showToast } from '../ui/toasts';
import { readEntries } from './read-entries';

export function ExclusionsPage() {
  const { kind = 'companies' } = useSearch({ from: '/shell/exclusions' });
  return (
    <Page title="Exclusions" intro="Companies and people that runs, searches and sequences always leave out.">
      <nav className={controls.tabs} aria-label="Kinds of exclusions">
        <Link
          to="/exclusions"
          search={{}}
          activeOptions={{ includeSearch: true, exact: true }}
          activeProps={{ 'aria-current': 'page' }}
        >
          Companies
        </Link>
        <Link
          to="/exclusions"
          search={{ kind: 'people' }}
          activeOptions={{ includeSearch: true }}
          activeProps={{ 'aria-current': 'page' }}
        >
          People
        </Link>
      </nav>
      <May task="change">
        <SyncForm key={kind} kind={kind} />
      </May>
      <Entries key={`list-${kind}`} kind={kind} />
    </Page>
  );
}

/** @returns an unused source name: another list with the same name would remove the entries of the earlier one */
const newSource = () => `pasted ${new Date().toISOString().slice(0, -1).replace('T', ' ')}`;

/** Replaces the entries of one source, after a preview of the difference. */
function SyncForm({ kind }: { kind: ExclusionKind }) {
  const [text, setText] = useDraft(`exclusions.${kind}`);
  const [source, setSource] = useState(newSource);
  const { items, unread } = readEntries(text, kind);
  const put = (isDryRun: boolean) =>
    callApi<ExclusionsSynchronised>(`/v1/exclusions/${kind}`, {
      method: 'PUT',
      body: { source: source.trim(), items, dry_run: isDryRun },
    });
  const preview = useMutation({ mutationFn: () => put(true) });
  const apply = useMutation({
    mutationFn: (_: { text: string; source: string }) => put(false),
    onSuccess: ({ created, deleted }, applied) => {
      // Another list may have been typed meanwhile.
      if (text === applied.text) change('');
      if (source === applied.source) setSource(newSource());
      refreshQueries('exclusions');
      showToast(`${formatNumber(created)} added${deleted > 0 ? `, ${formatNumber(deleted)} removed` : ''}.`);
    },
  });
  const deleted = preview.data?.deleted ?? 0;
  const change = (next: string) => {
    setText(next);
    preview.reset();
  };
  return (
    <section className={controls.card}>
      <div className={controls.stack}>
        <Field
          label={
            kind === 'companies' ? 'Domains or LinkedIn pages of companies' : 'LinkedIn profiles of people'
          }
          hint="Paste one per line, or choose a file."
        >
          {(given) => (
            <textarea
              {...given}
              value={text}
              rows={4}
              placeholder={kind === 'companies' ? 'example.com' : 'https://www.linkedin.com/in/…'}
              onChange={({ target }) => change(target.value)}
            />
          )}
        </Field>
        <div className={controls.row}>
          <input
            type="file"
            className={controls.file}
            accept=".csv,.txt"
            aria-label="File of exclusions"
            onChange={({ target }) => void target.files?.[0]?.text().then(change)}
          />
        </div>
        <TextField
          label="Source"
          value={source}
          maxLength={200}
          hint="Name the list, such as customers or competitors. Using the same name again replaces that list."
          onChange={({ target }) => {
            setSource(target.value);
            preview.reset();
          }}
        />
        {unread > 0 && (
          <Notice look="amber">
            Skipped: {formatCount(unread, 'line')} without a domain or LinkedIn address.
          </Notice>
        )}
        <ErrorNotice error={preview.error ?? apply.error} />
        {preview.data && (
          <Notice {...(deleted > 0 ? { look: 'amber' } : {})}>
            {formatNumber(preview.data.created)} new, {formatNumber(deleted)} no longer excluded,{' '}
            {formatNumber(preview.data.unchanged)} unchanged.
            {deleted > 0 &&
              ` This replaces the list “${source.trim()}”: entries that are missing from the new one are no longer excluded. Use another name to keep both.`}
            {preview.data.rejected.length > 0 &&
              ` ${formatNumber(preview.data.rejected.length)} rejected; the first: ${preview.data.rejected[0]?.message ?? ''}`}
          </Notice>
        )}
        <div className={controls.row}>
          <Button
            look={preview.data ? 'plain' : 'primary'}
            isBusy={preview.isPending}
            disabled={!source.trim()}
            onClick={() => preview.mutate()}
          >
            Preview changes
          </Button>
          {preview.data && (
            <Button
              look={deleted > 0 ? 'danger' : 'primary'}
              isBusy={apply.isPending}
              onClick={() => apply.mutate({ text, source })}
            >
              {deleted > 0 ? `Apply, and remove ${formatNumber(deleted)}` : 'Apply'}
            </Button>
          )}
        </div>
      </div>
    </section>
  );
}

const nameOf = ({ domain, linkedin_url: profile }: ExclusionEntry) => domain ?? profile ?? '';

function Entries({ kind }: { kind: ExclusionKind }) {
  const pages = usePages<number>('exclusions');
  const entries = useQuery(exclusionsQuery(kind, pages.position ?? 0));
  const mayChange = useMay('change');
  const itemOf = ({ domain, linkedin_url }: ExclusionEntry) => ({
    ...(domain ? { domain } : {}),
    ...(linkedin_url ? { linkedin_url } : {}),
  });
  const send = (method: 'POST' | 'DELETE', entry: ExclusionEntry) =>
    callApi(`/v1/exclusions/${kind}`, { method, body: { items: [itemOf(entry)] } }).finally(() =>
      refreshQueries('exclusions'),
    );
  const restore = (entry: ExclusionEntry) =>
    void send('POST', entry).catch((error: unknown) =>
      showToast(`${nameOf(entry)} is still not excluded. ${describeError(error)}`, () => restore(entry)),
    );
  const remove = useMutation({
    mutationFn: (entry: ExclusionEntry) => send('DELETE', entry),
    onSuccess: (_, entry) => showToast(`${nameOf(entry)} is no longer excluded.`, () => restore(entry)),
  });
  return (
    <>
      <ErrorNotice error={remove.error} />
      <DataList
        label="Excluded"
        query={entries}
        pages={pages}
        empty={
          <EmptyState title="Nothing is excluded">
            {mayChange && 'Paste your customers or competitors above to keep them out of every list.'}
          </EmptyState>
        }
        keyOf={({ domain, linkedin_url: profile }) => `${domain ?? ''} ${profile ?? ''}`}
        columns={{
          [kind === 'companies' ? 'Company' : 'Person']: (entry) => (
            <>
              {nameOf(entry)}
              {entry.domain && entry.linkedin_url && (
                <div className={controls.muted}>{entry.linkedin_url}</div>
              )}
            </>
          ),
          Since: (entry) => formatDay(entry.created_at),
          Remove: {
            action: (entry) =>
              mayChange && (
                <Button
                  size="small"
                  look="quiet"
                  isDoneOnce
                  aria-label={`Remove ${nameOf(entry)}`}
                  onClick={() => remove.mutate(entry)}
                >
                  Remove
                </Button>
              ),
          },
        }}
      />
    </>
  );
}

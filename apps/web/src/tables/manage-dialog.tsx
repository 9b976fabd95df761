import { useNavigate } from '@tanstack/react-router';
import { useId, type ReactNode } from 'react';
import { callApi, problemOf } from '../api/http';
import { refreshQueries, tableQuery } from '../api/queries';
import { queryClient } from '../api/query-client';
import type { Column, Table } from '../api/resources';
import { useAction } from '../api/use-action';
import { Button, ConfirmButton, controls, ErrorNotice, TextField } from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatCount } from '../ui/format';
import { showToast } from '../ui/toasts';

interface ManageDialogProps {
  readonly table: Table;
  /** The column to rename or delete; null for the table itself. */
  readonly column: Column | null;
  /** Further facts about the column. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
  /** Called with the key of a deleted column. */
  readonly onDeleted: (key: string) => void;
}

/** Renames or deletes a table, or one of its columns, for which it also shows what services have looked up. */
export function ManageDialog({ table, column, children, onClose, onDeleted }: ManageDialogProps) {
  const formId = useId();
  const navigate = useNavigate();
  const tablePath = `/v1/tables/${table.id}`;
  const path = column ? `${tablePath}/columns/${encodeURIComponent(column.key)}` : tablePath;
  const kind = column ? 'column' : 'table';
  const { name } = column ?? table;
  const show = (changed: Table) => {
    queryClient.setQueryData(tableQuery(table.id).queryKey, changed);
    refreshQueries('tables');
  };
  const rename = useAction({
    mutationFn: (to: string) => callApi<Table>(path, { method: 'PATCH', body: { name: to } }),
    onSuccess: show,
    onDone: onClose,
  });
  const remove = useAction({
    mutationFn: () => callApi<Table | undefined>(path, { method: 'DELETE' }),
    onSuccess: async (left) => {
      showToast(`“${name}” is deleted.`);
      if (left) return show(left);
      // Before queries are refreshed: this page would get a 404.
      if (location.pathname.endsWith(table.id)) await navigate({ to: '/tables' });
      refreshQueries('tables', 'workspaces');
    },
    onDone: () => (column ? onDeleted(column.key) : undefined),
  });
  const isLast = column !== null && table.columns.length === 1;
  return (
    <Dialog
      title={column ? `Column “${name}”` : `Table “${name}”`}
      onClose={onClose}
      actions={
        <>
          {!isLast && (
            <ConfirmButton
              label={`Delete ${kind}`}
              confirmLabel={`Delete “${name}” permanently`}
              isBusy={remove.isPending}
              onConfirm={() => remove.mutate()}
            />
          )}
          <Button type="submit" form={formId} look="primary" isBusy={rename.isPending}>
            Rename
          </Button>
        </>
      }
    >
      <form
        id={formId}
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate(String(new FormData(event.currentTarget).get('name')));
        }}
      >
        <TextField
          label="Name"
          name="name"
          required
          maxLength={200}
          defaultValue={name}
          problem={problemOf(rename.error, 'name')}
        />
      </form>
      {children}
      <p className={controls.muted}>{lossOf(table, column, isLast)}</p>
      <ErrorNotice error={problemOf(rename.error, 'name') ? null : (rename.error ?? remove.error)} />
    </Dialog>
  );
}

/** Returns what is lost when the table or the column is deleted. */
function lossOf({ row_count: rows }: Table, column: Column | null, isLast: boolean): string {
  if (isLast) return 'The only column of a table cannot be deleted. Delete the table instead.';
  if (column)
    return `Deleting the column removes its values and their sources from ${formatCount(rows, 'row')}, for everyone. To look them up again may cost credits. Files that were exported keep them.`;
  return `Deleting the table removes its ${formatCount(rows, 'row')} and its exports, for everyone, and ends the runs and enrichments that fill it. What a run has published stays with the run.`;
}

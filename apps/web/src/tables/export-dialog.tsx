import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi, fileAddress } from '../api/http';
import type { Export, ExportLink, Table } from '../api/resources';
import { exportedColumns, type Layout } from './columns';
import {
  Button,
  CheckField,
  controls,
  ErrorNotice,
  joinClasses,
  SelectField,
  TextField,
} from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatNumber, formatTime } from '../ui/format';
import css from './dialogs.module.css';

/** Exports a table, or the rows of the current view, with chosen columns. */
export function ExportDialog({
  table,
  layout,
  view,
  onClose,
}: {
  table: Table;
  layout: Layout;
  view: string | undefined;
  onClose: () => void;
}) {
  const [format, setFormat] = useState<'csv' | 'json'>('csv');
  const columns = exportedColumns(table, layout);
  const [chosen, setChosen] = useState(
    () => new Set(columns.flatMap(({ column, isShown }) => (isShown ? column.key : []))),
  );
  const [hasBom, setBom] = useState(true);
  const make = useMutation({
    mutationFn: () =>
      callApi<Export>(`/v1/tables/${table.id}/exports`, {
        method: 'POST',
        body: {
          format,
          columns: columns.flatMap(({ column: { key, name } }) => (chosen.has(key) ? { key, name } : [])),
          ...(view ? { view } : {}),
          ...(format === 'csv' ? { bom: hasBom } : {}),
        },
      }),
  });
  const link = useMutation({
    mutationFn: (id: string) => callApi<ExportLink>(`/v1/exports/${id}/links`, { method: 'POST', body: {} }),
  });
  /** Drops the existing file, which does not match other choices. */
  const forgetFile = () => {
    make.reset();
    link.reset();
  };
  const toggleAll = () => {
    forgetFile();
    setChosen((before) => new Set(before.size > 0 ? [] : columns.map(({ column }) => column.key)));
  };
  const toggle = (key: string) => {
    forgetFile();
    setChosen((before) => {
      const next = new Set(before);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  };
  return (
    <Dialog
      title={`Export ${table.name}`}
      onClose={onClose}
      actions={
        make.data ? (
          <>
            <Button isBusy={link.isPending} onClick={() => link.mutate(make.data.id)}>
              Link for 24 hours
            </Button>
            <a
              className={joinClasses(controls.button, controls.primary)}
              href={fileAddress(make.data.links.self)}
              download={`${table.name}.${format}`}
            >
              Download, {formatNumber(Math.ceil(make.data.byte_length / 1024))} kB
            </a>
          </>
        ) : (
          <Button
            look="primary"
            isBusy={make.isPending}
            disabled={chosen.size === 0}
            onClick={() => make.mutate()}
          >
            Create file
          </Button>
        )
      }
    >
      <SelectField
        label="Format"
        value={format}
        onChange={({ target }) => {
          setFormat(target.value as 'csv' | 'json');
          forgetFile();
        }}
      >
        <option value="csv">CSV, for spreadsheets</option>
        <option value="json">JSON, for programs</option>
      </SelectField>
      {format === 'csv' && (
        <CheckField
          label="For Excel (adds a byte order mark)"
          checked={hasBom}
          onChange={() => {
            setBom(!hasBom);
            forgetFile();
          }}
        />
      )}
      <fieldset className={css.picks}>
        <legend>Columns</legend>
        <div>
          <Button size="small" look="quiet" onClick={toggleAll}>
            {chosen.size > 0 ? 'Choose none' : 'Choose all'}
          </Button>
        </div>
        {columns.map(({ column: { key, name } }) => (
          <CheckField key={key} label={name} checked={chosen.has(key)} onChange={() => toggle(key)} />
        ))}
      </fieldset>
      {view && <p className={controls.muted}>The file has the rows that you see, filtered and sorted.</p>}
      {link.data && make.data && (
        <TextField
          label="Link"
          readOnly
          value={link.data.url}
          onFocus={({ target }) => target.select()}
          hint={`Anyone with this link can download the file until ${formatTime(link.data.expires_at)}. In a spreadsheet: =IMPORTDATA("…").`}
        />
      )}
      <ErrorNotice error={make.error ?? link.error} />
    </Dialog>
  );
}

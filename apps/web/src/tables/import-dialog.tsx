import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type DragEvent } from 'react';
import { callApi, callOnce } from '../api/http';
import { refreshQueries } from '../api/queries';
import type { Column, Table, Workspace } from '../api/resources';
import { useAction } from '../api/use-action';
import {
  Button,
  CheckField,
  controls,
  ErrorNotice,
  Field,
  Notice,
  Options,
  SelectField,
  TextField,
} from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatCount, formatField } from '../ui/format';
import { createImportsWorkspace, IMPORTS } from './imports-workspace';
import { writtenAs } from './kept-as-text';
import { valueText } from './value-text';
import css from './dialogs.module.css';

interface Preview {
  readonly columns: ReadonlyArray<Pick<Column, 'key' | 'name' | 'kind'>>;
  readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly row_count: number;
  readonly header: boolean;
}

interface Source {
  readonly file: File;
  /** True when the first row names the columns; null lets the server detect it. */
  readonly header: boolean | null;
}

const NEW_WORKSPACE = 'new';
const FILE_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};
/** Name of a table of pasted rows. */
const PASTED = 'Pasted rows';
const SHOWN_ROWS = 8;

/** Imports a file of rows after a preview. */
export function ImportDialog({
  workspaces,
  onClose,
}: {
  workspaces: readonly Workspace[];
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [workspaceId, setWorkspaceId] = useState(
    workspaces.find(({ name }) => name === IMPORTS)?.id ?? NEW_WORKSPACE,
  );
  const [problem, setProblem] = useState<string | null>(null);
  const [text, setText] = useState('');
  /** Stays visible while the file is read again with the other setting. */
  const [shown, setShown] = useState<Preview | null>(null);

  const send = async <Answer,>({ file: chosen, header }: Source, isDryRun: boolean): Promise<Answer> => {
    let id = workspaceId;
    // A preview stores nothing, so any workspace will do; if there is none, the default one is created.
    if (id === NEW_WORKSPACE && isDryRun) id = workspaces[0]?.id ?? id;
    if (id === NEW_WORKSPACE) {
      id = await createImportsWorkspace();
      setWorkspaceId(id);
    }
    const query = new URLSearchParams({
      name: name.trim() || chosen.name.replace(/\.\w+$/, ''),
      dry_run: String(isDryRun),
      ...(header === null ? {} : { header: String(header) }),
    });
    const { lastModified } = chosen;
    const body = new File([chosen], chosen.name, { type: typeOf(chosen), lastModified });
    const path = `/v1/workspaces/${id}/files?${query}`;
    return isDryRun ? callApi(path, { method: 'POST', body }) : callOnce(path, body);
  };
  const preview = useMutation({ mutationFn: (source: Source) => send<Preview>(source, true) });
  // The preview of the previous file is not shown any more.
  const show = (source: Source) => preview.mutate(source, { onSuccess: setShown });
  const keep = useAction({
    mutationFn: (source: Source) => send<Table>(source, false),
    onSuccess: () => refreshQueries('workspaces', 'tables'),
    onDone: ({ id }) => void navigate({ to: '/tables/$tableId', params: { tableId: id } }),
  });
  const take = (chosen: File | undefined) => {
    if (!chosen) return;
    // Nothing of the previous file may stay, above all not its button.
    preview.reset();
    setShown(null);
    keep.reset();
    if (!typeOf(chosen)) {
      setFile(null);
      setProblem(`${chosen.name} is not CSV or XLSX. In a spreadsheet, use “Save as” or “Download”.`);
      return;
    }
    setProblem(null);
    setFile(chosen);
    setName(chosen.name.replace(/\.\w+$/, ''));
    show({ file: chosen, header: null });
  };
  const takeText = (rows: string) => take(new File([rows], `${PASTED}.csv`));
  const takeFile = (chosen: File | undefined) => {
    setText('');
    take(chosen);
  };
  return (
    <Dialog
      title="Import"
      place="wide"
      onClose={onClose}
      actions={
        shown &&
        shown.row_count > 0 &&
        file && (
          <Button
            look="primary"
            isBusy={keep.isPending}
            onClick={() => keep.mutate({ file, header: shown.header })}
          >
            Import {formatCount(shown.row_count, 'row')}
          </Button>
        )
      }
    >
      <FileDrop name={file && !text ? file.name : null} onFile={takeFile} />
      <Field
        label="Or paste rows"
        hint="From a spreadsheet, or as CSV. The first row can hold the column names."
      >
        {(given) => (
          <textarea
            {...given}
            rows={3}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              setFile(null);
              preview.reset();
              setShown(null);
            }}
            onPaste={(event) => {
              if (text !== '') return;
              event.preventDefault();
              const rows = event.clipboardData.getData('text/plain');
              setText(rows);
              takeText(rows);
            }}
          />
        )}
      </Field>
      {text.trim() && !file && (
        <div className={controls.row}>
          <Button onClick={() => takeText(text)}>Preview rows</Button>
        </div>
      )}
      {problem && <Notice look="red">{problem}</Notice>}
      <ErrorNotice error={preview.error ?? keep.error} />
      {preview.isPending && !shown && <p role="status">Reading the file …</p>}
      {shown?.row_count === 0 && <Notice look="amber">There are no rows below the header.</Notice>}
      {shown && (
        <>
          <div className={css.mapping}>
            <TextField
              label="Name of the table"
              value={name}
              maxLength={200}
              onChange={({ target }) => setName(target.value)}
            />
            <SelectField
              label="Workspace"
              value={workspaceId}
              onChange={({ target }) => setWorkspaceId(target.value)}
            >
              <Options of={workspaces.map((each) => [each.id, each.name])} />
              {workspaces.every(({ name }) => name !== IMPORTS) && (
                <option value={NEW_WORKSPACE}>New workspace “{IMPORTS}”</option>
              )}
            </SelectField>
          </div>
          <CheckField
            label="The first row holds the column names"
            checked={shown.header}
            onChange={({ target }) => {
              setShown({ ...shown, header: target.checked });
              if (file) show({ file, header: target.checked });
            }}
          />
          <PreviewTable preview={shown} />
          <TextNotice preview={shown} />
        </>
      )}
    </Dialog>
  );
}

/** @param name of the chosen file; null for none */
function FileDrop({ name, onFile }: { name: string | null; onFile: (file: File | undefined) => void }) {
  const [isOver, setOver] = useState(false);
  const dropFile = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    onFile(event.dataTransfer.files[0]);
  };
  return (
    <label
      className={css.drop}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={dropFile}
    >
      <strong>{name ?? 'Drop a CSV or XLSX file here'}</strong>
      <span>
        or choose one, up to 64 MiB and 100,000 rows; in a workbook, the first visible sheet is read
      </span>
      <input
        type="file"
        className={controls.file}
        accept=".csv,.xlsx"
        aria-label="File"
        onChange={({ target }) => onFile(target.files?.[0])}
      />
    </label>
  );
}

function PreviewTable({ preview: { columns, items } }: { preview: Preview }) {
  return (
    <div className={controls.tableWrap} role="region" aria-label="Preview" tabIndex={0}>
      <table className={controls.table}>
        <thead>
          <tr>
            {columns.map(({ key, name, kind }) => (
              <th key={key}>
                {name}
                <div className={controls.muted}>{formatField(kind)}</div>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.slice(0, SHOWN_ROWS).map((values, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column.key} className={css.preview}>
                  {valueText(values[column.key], column)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Names columns that look like numbers or dates to a reader, but were read as text. */
function TextNotice({ preview: { columns, items } }: { preview: Preview }) {
  const names = columns
    .filter(({ key, kind }) => kind === 'text' && writtenAs(items.map((values) => values[key])) !== null)
    .map(({ name }) => `“${name}”`);
  if (names.length === 0) return null;
  return (
    <Notice look="amber">
      {names.join(', ')} {names.length === 1 ? 'is' : 'are'} kept as text, as written, and sorted and filtered
      as text. Numbers are read as 1234.56 and dates as 2026-01-31; an XLSX file has them whatever they look
      like.
    </Notice>
  );
}

/** Decides by the extension: the media type from a browser depends on installed programs. */
function typeOf({ name }: File): string | undefined {
  return FILE_TYPES[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];
}

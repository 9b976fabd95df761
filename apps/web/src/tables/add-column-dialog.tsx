import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { callApi, callOnce } from '../api/http';
import { balanceQuery, firstRowQuery, serviceQuery, servicesQuery } from '../api/queries';
import type { Enrichment, Estimated, Service, Table } from '../api/resources';
import { useAction } from '../api/use-action';
import {
  Button,
  controls,
  ErrorNotice,
  Notice,
  Options,
  QueryResult,
  SelectField,
  TextField,
} from '../ui/controls';
import { Dialog } from '../ui/dialog';
import { formatCount, formatCredits } from '../ui/format';
import css from './dialogs.module.css';
import type { Filling } from './filling';
import { columnTitle, firstField, freeKey } from './columns';
import { fieldLabel, inputProperties, leadsToPeople, outputFields } from './guess-inputs';
import { firstChoices, inputsOf } from './input-choice';
import { InputField } from './input-field';
import { useSettled } from '../ui/use-settled';

interface AddColumnProps {
  readonly table: Table;
  readonly view: string | undefined;
  readonly onClose: () => void;
  readonly onStarted: (filling: Omit<Filling, 'search'>) => void;
}

/** A column of the table to be filled, and which of its rows. */
interface ExistingColumn {
  readonly key: string;
  readonly rows: 'empty' | 'failed';
}

/** Services that make no column: searches create rows, and extraction needs a schema. */
const NOT_FOR_ROWS = new Set(['searchCompanies', 'searchPeople', 'extractData']);
/** Services that look up a person, whom a row has to name. */
const ABOUT_PEOPLE = new Set([
  'getEmail',
  'getPhoneNumber',
  'enrichPerson',
  'getLinkedInUserComments',
  'getLinkedInUserReactions',
]);
const FIRST_ROWS = 10;

const NEEDS_PERSON = 'Needs a person: no column of this table names one.';

export function AddColumnDialog(props: AddColumnProps) {
  const [name, setName] = useState<string | null>(null);
  const services = useQuery(servicesQuery());
  const { table } = props;
  const firstRow = useQuery(firstRowQuery(table.id, table.columns.length));
  const isOfPeople = leadsToPeople(table, firstRow.data?.items[0]);
  const lacksPerson = (service: string) => !isOfPeople && ABOUT_PEOPLE.has(service);
  if (name)
    return (
      <ServiceColumn {...props} name={name} lacksPerson={lacksPerson(name)} onBack={() => setName(null)} />
    );
  return (
    <Dialog title="Add column" place="wide" onClose={props.onClose}>
      <p className={controls.muted}>
        A service fills the column row by row. You see what it reads and what it costs first.
      </p>
      <QueryResult query={services}>
        {({ items }) => (
          <ul className={css.picks} aria-label="Services">
            {items
              .filter((service) => service.available && !NOT_FOR_ROWS.has(service.name))
              .toSorted((a, b) => Number(lacksPerson(a.name)) - Number(lacksPerson(b.name)))
              .map((service) => (
                <li key={service.name}>
                  <button type="button" className={css.pick} onClick={() => setName(service.name)}>
                    <strong>{service.title}</strong>
                    <span>{formatCredits(service.price.hit)} a row</span>
                    <small>
                      {service.description}
                      {lacksPerson(service.name) && <em> {NEEDS_PERSON}</em>}
                    </small>
                  </button>
                </li>
              ))}
          </ul>
        )}
      </QueryResult>
    </Dialog>
  );
}

interface ServiceColumnProps extends AddColumnProps {
  /** True when the service is about people, and the table has none. */
  readonly lacksPerson: boolean;
  readonly onBack: () => void;
}

function ServiceColumn({ name, ...props }: ServiceColumnProps & { name: string }) {
  const service = useQuery(serviceQuery(name));
  if (service.data) return <ColumnForm {...props} service={service.data} />;
  return (
    <Dialog title="Add column" place="wide" onClose={props.onClose}>
      <QueryResult query={service}>{() => null}</QueryResult>
    </Dialog>
  );
}

function ColumnForm({
  table,
  view,
  service,
  lacksPerson,
  onBack,
  onClose,
  onStarted,
}: ServiceColumnProps & { service: Service }) {
  const fields = outputFields(service);
  const [choices, setChoices] = useState(() => firstChoices(service, table));
  // Requests a price when typing has paused, not for each letter.
  const settled = useSettled(choices);
  const inputs = useMemo(() => inputsOf(service, settled), [service, settled]);
  const [field, setField] = useState(() => firstField(table, service.title, fields));
  const [written, setWritten] = useState<string | null>(null);
  const [existing, setExisting] = useState<ExistingColumn | null>(null);
  const title = written ?? columnTitle(table, service.title, field, fields);
  const request = useMemo(() => {
    const key = freeKey(table, field.split('.').at(-1)!);
    return {
      service: service.name,
      inputs,
      ...(existing
        ? { columns: [{ key: existing.key, field }], rows: existing.rows }
        : { columns: [{ key, name: title.trim() || key, field }] }),
      ...(view ? { view } : {}),
    };
  }, [table, service, inputs, field, title, existing, view]);
  const path = `/v1/tables/${table.id}/enrichments`;
  const isReady = inputs !== null && settled === choices;
  const estimate = useQuery({
    queryKey: ['estimate', table.id, service.name, inputs, field, existing, view],
    queryFn: ({ signal }) =>
      callApi<Estimated>(path, { method: 'POST', body: { ...request, dry_run: true }, signal }),
    enabled: inputs !== null,
  });
  const start = useAction({
    mutationFn: async (limit: number | null) => {
      const enrichment = await callOnce<Enrichment>(path, {
        ...request,
        ...(limit === null ? {} : { limit }),
      });
      // The request of this press: the choices may have changed before the answer.
      return { enrichment, request, isPart: limit !== null };
    },
    onSuccess: onStarted,
    onDone: onClose,
  });
  const rows = isReady ? (estimate.data?.estimate.rows ?? 0) : 0;
  const remaining = useQuery(balanceQuery()).data?.remaining ?? Infinity;
  return (
    <Dialog
      title={service.title}
      place="wide"
      onClose={onClose}
      actions={
        <>
          <Button look="quiet" onClick={onBack}>
            Other services
          </Button>
          {rows > FIRST_ROWS && (
            <Button isBusy={start.isPending} disabled={!isReady} onClick={() => start.mutate(FIRST_ROWS)}>
              Run 10 rows first
            </Button>
          )}
          <Button
            look="primary"
            isBusy={start.isPending}
            disabled={!isReady || rows === 0}
            onClick={() => start.mutate(null)}
          >
            {rows > 0 ? `Fill ${formatCount(rows, 'row')}` : 'Fill'}
          </Button>
        </>
      }
    >
      <p className={controls.muted}>{service.description}</p>
      {lacksPerson && <Notice look="amber">{NEEDS_PERSON}</Notice>}
      <h3>Reads from</h3>
      <div className={css.mapping}>
        {inputProperties(service).map(([input, property]) => (
          <InputField
            key={input}
            name={input}
            property={property}
            table={table}
            choice={choices[input]}
            onChange={(choice) =>
              setChoices((before) => {
                const { [input]: _, ...others } = before;
                return choice ? { ...others, [input]: choice } : others;
              })
            }
          />
        ))}
      </div>
      {inputs === null && (
        <Notice look="amber">Choose what the service reads: a column or fixed text.</Notice>
      )}
      <h3>Writes to</h3>
      <div className={css.mapping}>
        <ColumnChoice
          table={table}
          existing={existing}
          title={title}
          onExisting={setExisting}
          onTitle={setWritten}
        />
        <SelectField label="Shows" value={field} onChange={({ target }) => setField(target.value)}>
          <Options of={fields.map((each) => [each, fieldLabel(each)])} />
        </SelectField>
      </div>
      <ErrorNotice error={estimate.error ?? start.error} />
      {isReady && estimate.data && rows === 0 && !lacksPerson && (
        <Notice look="amber">
          0 rows: the chosen columns have no input for this service, or every row has an answer already.
        </Notice>
      )}
      {rows > 0 && estimate.data && (
        <div role="status" aria-label="Estimate">
          <strong>{formatCount(rows, 'row')}</strong>, at most{' '}
          {formatCredits(estimate.data.estimate.credits_max)}.{' '}
          {service.price.max === service.price.hit
            ? `Rows without an answer cost ${service.price.miss === 0 ? 'nothing' : formatCredits(service.price.miss)}.`
            : service.charge_rule}{' '}
          Nothing is paid twice.
          {estimate.data.estimate.credits_max > remaining && (
            <Notice look="amber">
              You have {formatCredits(remaining)}: rows beyond that are not looked up.
            </Notice>
          )}
        </div>
      )}
    </Dialog>
  );
}

interface ColumnChoiceProps {
  readonly table: Table;
  /** The chosen column of the table; null for a new one. */
  readonly existing: ExistingColumn | null;
  /** Name of a new column. */
  readonly title: string;
  readonly onExisting: (existing: ExistingColumn | null) => void;
  readonly onTitle: (title: string) => void;
}

/** Chooses between a new column and one of the table, of which the rows without a value or with a failed lookup are filled. */
function ColumnChoice({ table, existing, title, onExisting, onTitle }: ColumnChoiceProps) {
  return (
    <>
      <SelectField
        label="Column"
        value={existing?.key ?? ''}
        onChange={({ target: { value: key } }) => onExisting(key ? { key, rows: 'empty' } : null)}
      >
        <option value="">New column</option>
        <Options of={table.columns.map(({ key, name }) => [key, name])} />
      </SelectField>
      {existing ? (
        <SelectField
          label="Rows"
          value={existing.rows}
          onChange={({ target }) => onExisting({ ...existing, rows: target.value as ExistingColumn['rows'] })}
        >
          <option value="empty">Without a value</option>
          <option value="failed">Whose lookup failed</option>
        </SelectField>
      ) : (
        <TextField
          label="Name of the new column"
          value={title}
          onChange={({ target }) => onTitle(target.value)}
        />
      )}
    </>
  );
}

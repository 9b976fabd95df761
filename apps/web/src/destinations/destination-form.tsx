import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { callApi, callOnce, problemOf } from '../api/http';
import { useMode } from '../api/mode';
import { destinationsQuery, readAgain, refreshQueries } from '../api/queries';
import type { Destination } from '../api/resources';
import { useAction } from '../api/use-action';
import { useEdit } from '../api/use-edit';
import {
  Button,
  CheckField,
  controls,
  ErrorNotice,
  Field,
  Notice,
  SelectField,
  TextField,
} from '../ui/controls';
import {
  CAMPAIGN_KINDS,
  CRM_KINDS,
  KINDS,
  mappingText,
  newSigningSecret,
  readMapping,
} from './destination-text';

const LABELS = { name: 'Name', mapping: 'Mapping', settings: 'Overwrite existing values' };
const FIELDS = ['name', 'secret', 'settings.url', 'settings.campaign_id', 'mapping'];

interface DestinationFormProps {
  /** The destination to change; a new one is created when left out. */
  readonly destination?: Destination;
  readonly onSaved: () => void;
}

/** Creates a destination, or changes the name, secret and mapping of one. */
export function DestinationForm({ destination, onSaved }: DestinationFormProps) {
  const isTest = useMode() === 'test';
  const [kind, setKind] = useState(destination?.kind ?? 'webhook');
  const [signingSecret] = useState(newSigningSecret);
  const [mappingProblem, setMappingProblem] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  const { opened, changes, words, onRefused } = useEdit(destination, {
    list: () => readAgain(destinationsQuery()),
    labels: LABELS,
  });
  const save = useAction({
    mutationFn: (body: object) =>
      destination
        ? callApi(`/v1/destinations/${destination.id}`, { method: 'PATCH', body })
        : callOnce('/v1/destinations', { kind, ...body }),
    onSuccess: () => refreshQueries('destinations'),
    onError: onRefused,
    onDone: onSaved,
  });
  useEffect(() => {
    form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [save.error, mappingProblem]);
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const given = (name: string) => {
      const value = String(data.get(name) ?? '').trim();
      return value === '' ? {} : { [name]: value };
    };
    const text = String(data.get('mapping') ?? '');
    const { problem, mapping = null } = readMapping(text);
    setMappingProblem(problem);
    if (problem !== undefined) return;
    const overwrite = CRM_KINDS.has(kind) ? { overwrite: data.has('overwrite') } : {};
    if (!opened) {
      const settings = { ...given('url'), ...given('campaign_id'), ...overwrite };
      save.mutate({ ...given('name'), ...given('secret'), settings });
      return;
    }
    const isMapped = text !== mappingText(opened.mapping ?? {});
    const { settings, ...changed } = changes({
      ...given('name'),
      ...(isMapped && { mapping }),
      settings: { ...opened.settings, ...overwrite },
    });
    save.mutate({ ...changed, ...given('secret'), ...(settings && overwrite) });
  };
  const problem = (field: string) => problemOf(save.error, field);
  const isNewWebhook = !destination && kind === 'webhook';
  const { secretHint } = KINDS[kind];
  return (
    <form ref={form} className={controls.stack} onSubmit={submit}>
      {!destination && (
        <>
          {isTest && (
            <Notice>Test mode has webhooks only: CRMs and sequencers never receive fictional rows.</Notice>
          )}
          <SelectField
            label="Kind"
            value={kind}
            onChange={({ target }) => {
              save.reset();
              setKind(target.value as Destination['kind']);
            }}
          >
            {Object.entries(KINDS).map(([name, { label }]) => (
              <option key={name} value={name} disabled={isTest && name !== 'webhook'}>
                {label}
              </option>
            ))}
          </SelectField>
        </>
      )}
      <TextField
        label="Name"
        name="name"
        required
        maxLength={200}
        defaultValue={opened?.name}
        problem={problem('name')}
      />
      {isNewWebhook && (
        <TextField
          label="Address"
          name="url"
          type="url"
          required
          placeholder="https://hooks.acme.example/rows"
          hint="Must be https and publicly reachable, unless the operator allows a host on your own network."
          problem={problem('settings.url')}
        />
      )}
      {!destination && CAMPAIGN_KINDS.has(kind) && (
        <TextField
          label="Campaign"
          name="campaign_id"
          required
          hint="The ID of the campaign that leads are added to."
          problem={problem('settings.campaign_id')}
        />
      )}
      <TextField
        key={kind}
        label={kind === 'webhook' ? 'Signing secret' : 'Secret'}
        name="secret"
        type={isNewWebhook ? 'text' : 'password'}
        autoComplete="off"
        required={!destination}
        maxLength={500}
        defaultValue={isNewWebhook ? signingSecret : ''}
        onFocus={({ target }) => target.select()}
        hint={destination ? `${secretHint} Leave it empty to keep the current one.` : secretHint}
        problem={problem('secret')}
      />
      {destination && (
        <Field
          label="Mapping"
          hint={`One per line: field of the destination = key of the column. If empty, fields are matched to the columns of each table.${destination.mapping ? ' Rows that change with a new mapping are sent again.' : ''}`}
          problem={mappingProblem ?? problem('mapping')}
        >
          {(props) => (
            <textarea
              {...props}
              name="mapping"
              rows={5}
              required={opened?.mapping != null}
              placeholder="firstname = first_name"
              defaultValue={mappingText(opened?.mapping ?? {})}
            />
          )}
        </Field>
      )}
      {CRM_KINDS.has(kind) && (
        <CheckField
          name="overwrite"
          defaultChecked={opened?.settings.overwrite === true}
          label="Overwrite existing values. Otherwise only empty fields are filled."
        />
      )}
      {!FIELDS.some(problem) && <ErrorNotice error={save.error} words={words} />}
      <Button type="submit" look="primary" isBusy={save.isPending}>
        {destination ? 'Save' : 'Add'}
      </Button>
    </form>
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useStartBatch } from '../batches/start-batch';
import { ApiError, callOnce } from '../api/http';
import { useMay } from '../api/may';
import { refreshQueries, serviceQuery } from '../api/queries';
import type { Service, ServiceAnswer } from '../api/resources';
import { Page } from '../shell/page';
import { Button, controls, ErrorNotice, Notice, QueryResult } from '../ui/controls';
import { copyText } from '../ui/copy-text';
import { formatCredits } from '../ui/format';
import { inputOf, SchemaFields, textsOf, type InputSchema, type InputText } from './schema-form';
import { priceText } from './services.page';
import css from './services.module.css';
import { codeOf, curlOf } from './snippets';

/** Providers that are not vendors. */
const ANSWERED_BY: Readonly<Record<string, string>> = {
  web: 'the public web',
  sandbox: 'the sandbox, which is fictional',
};

export function ServicePage() {
  const { name } = useParams({ from: '/shell/services/$name' });
  const service = useQuery(serviceQuery(name));
  return (
    <QueryResult query={service} wayOut={<Link to="/services">Back to services</Link>}>
      {(data) => <ServiceView key={data.name} service={data} />}
    </QueryResult>
  );
}

function ServiceView({ service }: { service: Service }) {
  const schema = service.input_schema as InputSchema;
  const [texts, setTexts] = useState<InputText>(() => textsOf(service.examples[0]));
  const [unreadable, setUnreadable] = useState<string | null>(null);
  const batch = useStartBatch();
  const mayTry = useMay('change');
  const call = useMutation({
    mutationFn: (body: Record<string, unknown>) => callOnce<ServiceAnswer>(`/services/${service.name}`, body),
    onSuccess: () => refreshQueries('balance', 'ledger'),
  });
  const isSlow = service.mode === 'slow';
  /** Reads the form, and shows which field is malformed. */
  const read = (): Record<string, unknown> | null => {
    try {
      setUnreadable(null);
      return inputOf(schema, texts);
    } catch {
      setUnreadable('A JSON field is not valid JSON.');
      return null;
    }
  };
  const request = (input: Record<string, unknown>) => ({
    address: `${location.origin}${service.links.run}`,
    body: isSlow ? { service: service.name, inputs: [input] } : input,
  });
  const copy = (write: (address: string, body: unknown) => string) => {
    const input = read();
    if (!input) return;
    const { address, body } = request(input);
    void copyText(write(address, body));
  };
  const problems = problemsOf(call.error ?? batch.error);
  return (
    <Page title={service.title} intro={service.description}>
      {!service.available && (
        <Notice look="amber">
          {service.unavailable_reason ?? 'No provider is set up for this service.'}
        </Notice>
      )}
      <div className={css.facts}>
        <code>{service.name}</code>
        <span>{priceText(service)}</span>
        <span>{service.charge_rule}</span>
        <span>
          Answered by{' '}
          {service.providers
            .filter(({ configured }) => configured)
            .map(({ id }) => ANSWERED_BY[id] ?? id)
            .join(', then ') || 'no provider yet'}
        </span>
      </div>
      <div className={css.columns}>
        <form
          className={css.form}
          onSubmit={(event) => {
            event.preventDefault();
            const input = read();
            if (!input) return;
            if (!mayTry) return;
            if (isSlow) batch.mutate({ service: service.name, inputs: [input] });
            else call.mutate(input);
          }}
        >
          <SchemaFields
            schema={schema}
            texts={texts}
            problems={problems}
            onChange={(name, text) => setTexts((before) => ({ ...before, [name]: text }))}
          />
          {unreadable && <Notice look="red">{unreadable}</Notice>}
          <div className={controls.row}>
            {mayTry && (
              <Button type="submit" look="primary" isBusy={call.isPending || batch.isPending}>
                Try it
              </Button>
            )}
            <Button onClick={() => copy(curlOf)}>Copy as curl</Button>
            <Button onClick={() => copy(codeOf)}>Copy as TypeScript</Button>
          </div>
        </form>
        <section aria-label="Answer" className={css.answer}>
          <ErrorNotice error={call.error ?? batch.error} />
          {call.isPending && <p role="status">Running …</p>}
          {call.data && (
            <>
              <p>
                {formatCredits(call.data.credits.charged)} charged,{' '}
                {formatCredits(call.data.credits.remaining)} left.
              </p>
              <pre className={css.code} tabIndex={0}>
                {JSON.stringify(call.data.output, null, 2)}
              </pre>
            </>
          )}
          {!call.data && !call.isPending && !call.error && (
            <p className={controls.muted}>
              {!mayTry ? (
                'Your role is read-only: a member can try this service.'
              ) : isSlow ? (
                <>
                  This service runs as a batch: the answer appears on the batch’s page. For a list,{' '}
                  <Link to="/tables">import or paste it as a table</Link> and add a column.
                </>
              ) : (
                'The answer appears here.'
              )}
            </p>
          )}
        </section>
      </div>
    </Page>
  );
}

/** @returns problems by field, as far as the error names fields */
function problemsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(
    error.details.map(({ path, message }) => [String([path].flat().at(-1) ?? ''), message]),
  );
}

import { useMutation, useQuery } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { ApiError, callApi, callOnce } from '../api/http';
import { May } from '../api/may';
import { goQuestionsQuery, goRunsQuery, refreshQueries } from '../api/queries';
import type { GoRun } from '../api/resources';
import { Page } from '../shell/page';
import { linkOf } from '../tables/cell-value';
import { valueText } from '../tables/value-text';
import {
  Badge,
  Button,
  controls,
  EmptyState,
  ErrorNotice,
  Field,
  Notice,
  Options,
  SelectField,
  TextField,
  type BadgeLook,
} from '../ui/controls';
import { ListResult } from '../ui/data-table';
import { usePages } from '../ui/pager';
import { forgetDraft, useDraft } from '../ui/draft';
import { Ago } from '../ui/ago';
import { formatCredits } from '../ui/format';
import css from './go.module.css';

const EFFORTS = {
  low: 'Low, up to 5 credits',
  medium: 'Medium, up to 20 credits',
  high: 'High, up to 60 credits',
} as const;
const STATUS: Readonly<Record<GoRun['status'], readonly [BadgeLook, string]>> = {
  queued: ['busy', 'Queued'],
  running: ['busy', 'Reading'],
  completed: ['good', 'Completed'],
  failed: ['bad', 'Failed'],
  cancelled: ['plain', 'Stopped'],
};

/** Reasons for stopping that the status does not tell. */
const STOPS: Readonly<Partial<Record<NonNullable<GoRun['stop_reason']>, string>>> = {
  budget: 'stopped at its credit limit',
  time: 'stopped at its time limit',
  no_evidence: 'no page supports an answer',
};

/** @returns a schema with one text field for each name; none for an answer in prose */
function schemaOf(fields: string): Record<string, unknown> | undefined {
  const names = fields
    .split(/[,\n]/)
    .map((name) => name.trim().replaceAll(/\s+/g, '_'))
    .filter(Boolean);
  if (names.length === 0) return undefined;
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) };
}

export function GoPage() {
  const answers = usePages<number>('answers');
  const offset = answers.position ?? 0;
  const runs = useQuery(goRunsQuery(offset));
  const [question, setQuestion] = useDraft('go.question');
  const [fields, setFields] = useDraft('go.fields');
  const [pages, setPages] = useDraft('go.pages');
  const start = useMutation({
    mutationFn: (body: Record<string, unknown>) => callOnce<GoRun>('/v1/go/runs', body),
    onSuccess: () => {
      // The question stays on the screen, to be asked again in other words, but it is no draft any more.
      for (const name of ['go.question', 'go.fields', 'go.pages']) forgetDraft(name);
      answers.toFirst();
      refreshQueries('go', 'balance');
    },
  });
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const urls = pages
      .split(/\s+/)
      .filter(Boolean)
      .map((url) => (/^[a-z]+:/i.test(url) ? url : `https://${url}`));
    const schema = schemaOf(fields);
    start.mutate({
      prompt: question,
      effort: String(form.get('effort')),
      ...(schema ? { schema } : {}),
      ...(urls.length > 0 ? { urls } : {}),
    });
  };
  return (
    <Page
      title="Research with Go"
      intro="Ask a question. Every field of the answer comes with the page and the quote that support it."
    >
      <May task="change">
        <form className={css.form} onSubmit={submit}>
          <Field label="Question">
            {(given) => (
              <textarea
                {...given}
                value={question}
                onChange={({ target }) => setQuestion(target.value)}
                rows={2}
                required
                maxLength={20_000}
                placeholder="Who leads the company, and since when?"
              />
            )}
          </Field>
          <div className={css.options}>
            <TextField
              label="Fields (optional)"
              value={fields}
              onChange={({ target }) => setFields(target.value)}
              placeholder="ceo, founded, headquarters"
              hint="Separate them with commas. Leave it empty for an answer as text."
            />
            <Field
              label="Pages to read (optional)"
              hint="One URL per line. Leave it empty to let a language model search the web."
            >
              {(given) => (
                <textarea
                  {...given}
                  value={pages}
                  onChange={({ target }) => setPages(target.value)}
                  rows={1}
                  placeholder="https://example.com/about"
                />
              )}
            </Field>
            <SelectField label="Effort" name="effort" defaultValue="low">
              <Options of={Object.entries(EFFORTS)} />
            </SelectField>
          </div>
          <ErrorNotice error={start.error} />
          {start.error instanceof ApiError && start.error.code === 'capability_error' && (
            <p className={controls.muted}>
              Name the pages in “Pages to read”; facts are read from them without a language model.
            </p>
          )}
          <div className={controls.row}>
            <Button type="submit" look="primary" isBusy={start.isPending}>
              Research
            </Button>
          </div>
        </form>
      </May>
      <ListResult
        query={runs}
        pages={answers}
        empty={
          <EmptyState title="Nothing researched yet">
            Answers appear here with their sources, newest first.
          </EmptyState>
        }
      >
        {(items) => items.length > 0 && <GoResults runs={items} offset={offset} />}
      </ListResult>
    </Page>
  );
}

function GoResults({ runs, offset }: { runs: readonly GoRun[]; offset: number }) {
  const { data } = useQuery(goQuestionsQuery(runs[0]!.id, offset));
  const questions = new Map(data?.items.map(({ id, prompt }) => [id, prompt]));
  return (
    <ol className={css.list}>
      {runs.map((run) => (
        <GoResult key={run.id} run={run} question={questions.get(run.id)} />
      ))}
    </ol>
  );
}

function GoResult({ run, question }: { run: GoRun; question: string | undefined }) {
  const [look, text] = STATUS[run.status];
  const stop = useMutation({
    mutationFn: () => callApi(`/v1/go/runs/${run.id}/cancel`, { method: 'POST', body: {} }),
    onSuccess: () => refreshQueries('go', 'balance'),
  });
  return (
    <li className={css.result}>
      {question && <h2 className={css.question}>{question}</h2>}
      <div className={controls.spread}>
        <span className={controls.row}>
          <Badge look={look}>{text}</Badge>
          <span className={controls.muted}>
            <Ago at={run.created_at} />, {formatCredits(run.credits.charged)}
            {run.stop_reason && STOPS[run.stop_reason] && `, ${STOPS[run.stop_reason]}`}
          </span>
        </span>
        {run.completed_at === null && (
          <May task="change">
            <Button size="small" look="danger" isBusy={stop.isPending} onClick={() => stop.mutate()}>
              Stop
            </Button>
          </May>
        )}
      </div>
      {run.completed_at === null && <ErrorNotice error={stop.error} />}
      {run.error && <Notice look="red">{run.error.message}</Notice>}
      <dl className={css.basis}>
        {run.basis.map(({ field, value, reasoning, confidence, citations }) => (
          <div key={field}>
            <dt>{field.slice(1).replaceAll('/', ' › ').replaceAll('_', ' ') || 'answer'}</dt>
            <dd>
              <div>
                {valueText(value, { key: field }) || (
                  <span className={controls.muted}>Not supported: {reasoning}</span>
                )}
                {confidence && <span className={controls.muted}> {confidence} confidence</span>}
              </div>
              {citations.map((citation) => (
                <blockquote key={citation.url + citation.excerpt}>
                  {citation.excerpt && <p>“{citation.excerpt}”</p>}
                  {linkOf(citation.url, 'url') ? (
                    <a href={citation.url} target="_blank" rel="noreferrer">
                      {citation.title ?? citation.url}
                    </a>
                  ) : (
                    citation.url
                  )}
                </blockquote>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { MonitorDialog } from '../monitors/monitor-dialog';
import { runsQuery, serviceQuery } from '../api/queries';
import { Page } from '../shell/page';
import { EmptyState, ErrorNotice } from '../ui/controls';
import { ListResult } from '../ui/data-table';
import { usePages } from '../ui/pager';
import { keepDraft, PROMPT } from '../ui/draft';
import { PlanView } from './plan-view';
import { PromptBox } from './prompt-box';
import { RunList } from './run-list';
import css from './runs.module.css';
import { usePlan } from './use-plan';

/** Prompts that find enough rows in the sandbox of a new installation. */
const SANDBOX_EXAMPLES = [
  '20 software companies in the United States with 50 to 500 employees',
  '10 heads of sales at software companies in the United States, with work e-mail',
  '20 logistics companies in Europe founded after 2010, sorted by headcount',
];
/** Prompts for unknown data: they name no industry and no place. */
const GENERAL_EXAMPLES = [
  '25 companies, the largest first',
  '10 CEOs, with work e-mail',
  '20 companies founded after 2015',
];
const PAGE = 10;

export function RunsPage() {
  const { prompt: given } = useSearch({ from: '/shell/runs' });
  const [example, setExample] = useState(given);
  const pages = usePages<number>('runs');
  const [isRepeating, setRepeating] = useState(false);
  const navigate = useNavigate();
  const { shown, plan, run, isStale, setTyped } = usePlan(PROMPT);
  const runs = useQuery(runsQuery(pages.position ?? 0, PAGE));
  const search = useQuery(serviceQuery('searchCompanies'));
  const isSandbox = search.data?.providers.some(({ id }) => id === 'sandbox');
  return (
    <Page
      title="Runs"
      intro="Describe the companies or people you need. You see the plan and its price before anything is spent."
    >
      <div className={css.ask}>
        <PromptBox
          key={example}
          label="What are you looking for?"
          placeholder="CEOs of fintech companies in Europe, with work e-mail"
          action="Show plan"
          isBusy={plan.isPending}
          {...(example ? { initial: example } : {})}
          draft={PROMPT}
          onSubmit={(prompt) => plan.mutate({ prompt })}
          onType={(text) => {
            setTyped(text);
            // After a reload, the changed prompt counts and not the one of the address.
            if (given) void navigate({ to: '/runs', search: {}, replace: true });
          }}
        >
          {!shown && search.data && (
            <ul className={css.examples} aria-label="Examples">
              {(isSandbox ? SANDBOX_EXAMPLES : GENERAL_EXAMPLES).map((text) => (
                <li key={text}>
                  <button type="button" className={css.example} onClick={() => setExample(text)}>
                    {text}
                  </button>
                </li>
              ))}
            </ul>
          )}
        </PromptBox>
        <ErrorNotice error={plan.error ?? run.error} />
        {shown && (
          <PlanView
            plan={shown}
            isBusy={run.isPending || plan.isPending}
            isStale={isStale}
            onIntent={(intent) => plan.mutate({ plan_id: shown.id, intent })}
            onPrompt={(prompt) => {
              // The box contains the prompt of the plan.
              keepDraft(PROMPT, prompt);
              setExample(prompt);
              setTyped(prompt);
              plan.mutate({ prompt, isRevision: true });
            }}
            onRun={(rows) => run.mutate({ planId: shown.id, intent: shown.intent, rows })}
            onRepeat={() => setRepeating(true)}
          />
        )}
        {shown && isRepeating && <MonitorDialog plan={shown} onClose={() => setRepeating(false)} />}
      </div>
      <section aria-label="Recent runs" className={css.recent}>
        <h2>Recent</h2>
        <ListResult
          query={runs}
          pages={pages}
          empty={
            <EmptyState title="No runs yet">Describe a list above, or choose one of the examples.</EmptyState>
          }
        >
          {(items) => <RunList runs={items} />}
        </ListResult>
      </section>
      <p className={css.also}>
        A question with sources instead of a list? <Link to="/go">Research the web with Go</Link>.
      </p>
    </Page>
  );
}

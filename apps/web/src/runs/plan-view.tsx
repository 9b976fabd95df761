import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useMay } from '../api/may';
import { balanceQuery, servicesQuery, useServiceTitle } from '../api/queries';
import type { Plan } from '../api/resources';
import { Button, controls, Notice } from '../ui/controls';
import { formatCount, formatCredits, formatNumber } from '../ui/format';
import {
  columnChips,
  filterChips,
  noRowsReason,
  orderReading,
  withoutColumn,
  withoutFilter,
  withoutOrder,
  type FilterChip,
} from './intent';
import css from './runs.module.css';

interface PlanViewProps {
  readonly plan: Plan;
  readonly isBusy: boolean;
  /** True when the text on the screen differs from the prompt of the plan, so that running it would be misleading. */
  readonly isStale: boolean;
  /** Called with a corrected intent, to price it. */
  readonly onIntent: (intent: Plan['intent']) => void;
  /** Called with a changed prompt, to plan it again. */
  readonly onPrompt: (prompt: string) => void;
  readonly onRun: (rows: number | null) => void;
  /** Opens the dialog for a schedule; left out when there can be none. */
  readonly onRepeat?: () => void;
}

/** Enough rows to judge a plan before the rest is paid for. */
export const FIRST_ROWS = 10;

/** Shows how a prompt was read, what it would cost, and what can be changed. */
export function PlanView({ plan, isBusy, isStale, onIntent, onPrompt, onRun, onRepeat }: PlanViewProps) {
  const balance = useQuery(balanceQuery());
  const mayRun = useMay('change');
  const { rows, credits_min: least, credits_max: most } = plan.estimate;
  const filters = filterChips(plan);
  const order = orderReading(plan);
  const noRows = noRowsReason(plan);
  // The chip of a column already shows its service and price.
  const paidFor = columnChips(plan).flatMap(({ service }) => (service ? [` by ${service}, at most `] : []));
  const notes = plan.notes.filter((note) => !paidFor.some((price) => note.includes(price)));
  const isShort = balance.data !== undefined && balance.data.remaining < most;
  return (
    <section aria-label="Plan" className={css.plan}>
      {noRows === 'no_rows_described' && (
        <Notice look="amber">
          The prompt does not say which companies or people you need. An example: “20 fintech companies in
          Berlin”.
        </Notice>
      )}
      {noRows === null && (
        <PlanGroup
          title="Filters"
          isEmpty={filters.length === 0}
          empty="Nothing narrows the search: every row would match."
        >
          {filters.map((chip) => (
            <FilterItem
              key={`${chip.part}-${chip.index}`}
              chip={chip}
              onChange={(words) => chip.fragment && onPrompt(plan.prompt.replace(chip.fragment, () => words))}
              onRemove={() => onIntent(withoutFilter(plan.intent, chip))}
            />
          ))}
        </PlanGroup>
      )}
      <PlanColumns plan={plan} onIntent={onIntent} />
      {order && (
        <PlanGroup title="Order" isEmpty={false} empty="">
          <li className={css.chip}>
            <span className={css.chipText}>{order}</span>
            <button
              type="button"
              className={css.chipRemove}
              aria-label={`Remove ${order}`}
              onClick={() => onIntent(withoutOrder(plan.intent))}
            >
              ✕
            </button>
          </li>
        </PlanGroup>
      )}
      {plan.not_understood.length > 0 && (
        <Notice look="amber">
          <strong>Not understood</strong>
          <ul aria-label="Not understood" className={css.unread}>
            {plan.not_understood.map((words) => (
              <li key={words}>“{words}”</li>
            ))}
          </ul>
          The plan has nothing for these words. Rephrase or remove them; until then, paid lookups wait for
          your “Run”.
        </Notice>
      )}
      {notes.length > 0 && (
        <ul className={css.notes}>
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {isStale && (
        <Notice look="amber">
          The prompt has changed since this plan was made. Show the plan again to run it.
        </Notice>
      )}
      <div className={css.planFoot}>
        <div role="status" aria-label="Estimate" className={css.estimate}>
          <strong>{formatCount(rows, 'row')} at most</strong>
          <span>{costText(least, most)}</span>
          {isShort && (
            <span className={css.short}>more than the {formatCredits(balance.data.remaining)} you have</span>
          )}
        </div>
        <div className={controls.row}>
          {mayRun && onRepeat && noRows === null && (
            <Button look="quiet" isBusy={isBusy} disabled={isStale} onClick={onRepeat}>
              Repeat on a schedule
            </Button>
          )}
          {mayRun && rows > FIRST_ROWS && (
            <Button isBusy={isBusy} disabled={isStale} onClick={() => onRun(FIRST_ROWS)}>
              Run 10 rows first
            </Button>
          )}
          {mayRun ? (
            <Button
              look="primary"
              isBusy={isBusy}
              // A prompt that asks for no rows is answered in prose.
              disabled={(rows === 0 && noRows !== 'no_request') || isStale}
              onClick={() => onRun(null)}
            >
              Run
            </Button>
          ) : (
            <span className={controls.muted}>Your role is read-only: a member can run this plan.</span>
          )}
        </div>
      </div>
    </section>
  );
}

function costText(least: number, most: number): string {
  if (most === 0) return 'free';
  return least === most ? formatCredits(most) : `${formatNumber(least)} to ${formatCredits(most)}`;
}

function PlanGroup({
  title,
  isEmpty,
  empty,
  children,
}: {
  title: string;
  isEmpty: boolean;
  empty: string;
  children: ReactNode;
}) {
  return (
    <div className={css.group}>
      <h2 className={css.groupTitle}>{title}</h2>
      {isEmpty ? (
        <p className={controls.muted}>{empty}</p>
      ) : (
        <ul aria-label={title} className={css.chips}>
          {children}
        </ul>
      )}
    </div>
  );
}

function FilterItem({
  chip,
  onChange,
  onRemove,
}: {
  chip: FilterChip;
  onChange: (words: string) => void;
  onRemove: () => void;
}) {
  const [words, setWords] = useState<string | null>(null);
  if (words !== null)
    return (
      <li>
        <form
          className={css.chipForm}
          onSubmit={(event) => {
            event.preventDefault();
            onChange(words);
            setWords(null);
          }}
        >
          <input
            className={controls.input}
            aria-label={`Words for ${chip.reading}`}
            value={words}
            autoFocus
            onChange={({ target }) => setWords(target.value)}
            onKeyDown={({ key }) => key === 'Escape' && setWords(null)}
          />
          <Button type="submit" size="small">
            Apply
          </Button>
        </form>
      </li>
    );
  return (
    <li className={css.chip}>
      {chip.fragment ? (
        <button
          type="button"
          className={css.chipText}
          title="Change these words"
          onClick={() => setWords(chip.fragment)}
        >
          {chip.reading}
        </button>
      ) : (
        <span className={css.chipText}>{chip.reading}</span>
      )}
      <button
        type="button"
        className={css.chipRemove}
        aria-label={`Remove ${chip.reading}`}
        onClick={onRemove}
      >
        ✕
      </button>
    </li>
  );
}

function PlanColumns({ plan, onIntent }: Pick<PlanViewProps, 'plan' | 'onIntent'>) {
  const services = useQuery(servicesQuery());
  const titleOf = useServiceTitle();
  const columns = columnChips(plan);
  if (columns.length === 0) return null;
  return (
    <PlanGroup title="Columns" isEmpty={false} empty="">
      {columns.map(({ index, name, service }) => {
        const price = services.data?.items.find((each) => each.name === service)?.price;
        return (
          <li key={index} className={css.chip}>
            <span className={css.chipText}>
              {name}
              {service && (
                <span className={controls.muted}>
                  {' '}
                  {titleOf(service)}
                  {price && ` · ${formatCredits(price.hit)} a row`}
                </span>
              )}
            </span>
            <button
              type="button"
              className={css.chipRemove}
              aria-label={`Remove ${name}`}
              onClick={() => onIntent(withoutColumn(plan.intent, index))}
            >
              ✕
            </button>
          </li>
        );
      })}
    </PlanGroup>
  );
}

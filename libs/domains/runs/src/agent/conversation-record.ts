import { Injectable } from '@nestjs/common';
import { chargesOfRun, toCredits } from '@quarry/credit-ledger';
import { formatCount } from '@quarry/service-catalog';
import { excerpt } from '@quarry/error-codes';
import { purposeOf, type RunPlan } from '@quarry/plan';
import { EXAMPLES } from '@quarry/plan-compiler';
import { Database, isoTime, ofTenant, tenantOf } from '@quarry/postgres';
import { statement } from '../statements.types.js';
import type { LeasedRun } from '../execution/run-lease.store.js';
import { plansOfStep } from '../execution/step-journal.js';

/** An earlier run of the conversation that searched for rows. */
type PastRun = {
  readonly id: string;
  readonly created_at: string;
  readonly plans: unknown;
  readonly total: number | null;
  readonly shown: number | null;
  readonly excluded: number | null;
  readonly disqualified: number | null;
};

/** The most filters that an answer names. */
const FILTERS_SHOWN = 8;
/** Shorter words do not distinguish filters. */
const WORD_CHARACTERS_MIN = 3;

/** Answers questions about a conversation from the journals of its runs. Nothing is searched, and nothing is charged. */
@Injectable()
export class ConversationRecord {
  constructor(private readonly database: Database) {}

  /** Returns the answer to a prompt that requests no rows: the filters in force, what they left out, and the cost so far. */
  async readAnswer(run: LeasedRun): Promise<string> {
    const purpose = purposeOf(run.prompt);
    if (purpose === 'small_talk') return `The prompt asks for no rows, so nothing was searched. ${EXAMPLES}`;
    const past = await this.database.query(run.ctx, PAST, [tenantOf(run.ctx), run.conversationId, run.id]);
    const [last] = past;
    const plan = last && plansOfStep(last.plans)[0]?.plan;
    if (!last || !plan)
      return `The prompt asks for no rows, and this conversation has no earlier run, so nothing was searched. ${EXAMPLES}`;
    if (purpose === 'export')
      return `Nothing was searched. The table “${excerpt(plan.table.name)}” can be downloaded: export it as CSV or JSON.`;
    const costs = await Promise.all(past.map((one) => this.costOf(run, one)));
    const total = costs.reduce((sum, cost) => sum + cost, 0);
    return [
      purpose === 'undo'
        ? 'A prompt cannot undo a run: say which filter or column to change. The tables of earlier runs stay as they were.'
        : 'Nothing was searched for this.',
      filtersText(plan, run.prompt),
      removedText(last),
      `The previous run cost ${formatCount(toCredits(costs[0]!), 'credit')}, and this conversation ${toCredits(total)} in total.`,
    ]
      .filter(Boolean)
      .join(' ');
  }

  private async costOf(run: LeasedRun, past: PastRun): Promise<number> {
    const charges = await chargesOfRun(this.database, run.ctx, past.id, past.created_at);
    return charges.reduce((sum, { amount }) => sum + amount, 0);
  }
}

function filtersText({ predicates, criteria, notUnderstood }: RunPlan, question: string): string {
  const texts = [...predicates.map(({ text }) => text), ...criteria.map(({ criterion }) => criterion)];
  const shown = texts.slice(0, FILTERS_SHOWN).map((text) => excerpt(text));
  const more = texts.length > shown.length ? ` and ${texts.length - shown.length} more` : '';
  const words = question.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const isNamed = (text: string): boolean =>
    words.some((word) => word.length > WORD_CHARACTERS_MIN && text.toLowerCase().includes(word));
  const named = texts.filter(isNamed).map((text) => `“${excerpt(text)}”`);
  const open = notUnderstood.slice(0, FILTERS_SHOWN).map((word) => `“${excerpt(word)}”`);
  return [
    shown.length > 0
      ? `Filters in force: ${shown.join('; ')}${more}. Each leaves out every row that does not meet it.`
      : 'No filter is in force.',
    named.length > 0 ? `Your words are in ${named.join(', ')}.` : '',
    open.length > 0 ? `Not understood and not applied: ${open.join(', ')}.` : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function removedText({ total, shown, excluded, disqualified }: PastRun): string {
  if (total === null || shown === null) return '';
  const left = total > shown ? ` ${total - shown} more matched than the table was meant to have.` : '';
  const listed = excluded ? ` ${excluded} left out by your exclusion lists.` : '';
  const unfit = disqualified ? ` ${disqualified} are disqualified.` : '';
  return `${shown} of ${total} matches are in the table.${left}${listed}${unfit}`;
}

// The last twenty runs: questions about cost come up in short conversations.
const PAST = statement(
  'conversation-record.past',
  `
  SELECT r.id, ${isoTime('r.created_at')} AS created_at, p.result AS plans,
    (s.result ->> 'total')::int AS total, (s.result ->> 'excluded')::int AS excluded,
    CASE WHEN jsonb_typeof(s.result -> 'rows') = 'array' THEN jsonb_array_length(s.result -> 'rows') END AS shown,
    (f.result ->> 'disqualified')::int AS disqualified
  FROM runs.runs r
  JOIN runs.steps p ON p.run_id = r.id AND p.name = 'plan' AND p.finished_at IS NOT NULL
  LEFT JOIN runs.steps s ON s.run_id = r.id AND s.name = 'table-0.rows'
  LEFT JOIN runs.steps f ON f.run_id = r.id AND f.name = 'table-0.fit'
  WHERE ${ofTenant('r')} AND r.conversation_id = $2
    AND (r.created_at, r.id) < (SELECT created_at, id FROM runs.runs WHERE ${ofTenant()} AND id = $3)
    AND NOT coalesce((p.result #>> '{0,plan,isEmpty}')::boolean, (p.result #>> '{0,plan,isNoRequest}')::boolean, false)
  ORDER BY r.created_at DESC, r.id DESC LIMIT 20`,
).rows<PastRun>();

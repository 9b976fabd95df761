import {
  faultsError,
  pathText,
  WEEKDAYS,
  type CreateSequenceRequest,
  type Fault,
  type Weekday,
} from '@quarry/dto';
import { isTimeZone } from '../time-zone.js';
import { validateTemplate, TemplateError } from './message-template.js';

export interface SequenceStep {
  delay_days: number;
  /** Null for a later step that answers in the thread of the first. */
  subject: string | null;
  body: string;
  channel: 'email';
}

/** Content of a sequence, with its mailboxes and times, as clients see it. */
export interface SequenceDefinition {
  mailbox_ids: string[];
  time_zone: string;
  window: { days: Weekday[]; from: string; to: string };
  daily_limit: number | null;
  steps: SequenceStep[];
}

/** The complete definition of a sequence in a request. */
export type RequestedDefinition = Omit<CreateSequenceRequest, 'name' | 'daily_limit'> & {
  daily_limit?: number | null;
};

/**
 * @param under path of the definition in its request
 * @returns the definition of a request
 * @throws AppError invalid_request for an invalid time zone, window or template
 */
export function definitionOf(body: RequestedDefinition, under: readonly string[] = []): SequenceDefinition {
  const faults: Fault[] = [];
  const add = (within: ReadonlyArray<string | number>, message: string): void => {
    const path = [...under, ...within];
    faults.push({ path, message: `${pathText(path)} ${message}` });
  };
  if (!isTimeZone(body.time_zone)) add(['time_zone'], 'must be an IANA time zone, such as Europe/Berlin');
  if (body.window.from >= body.window.to) add(['window', 'to'], 'must be after from');
  if (body.steps[0]!.subject === undefined) add(['steps', 0, 'subject'], 'is required in the first step');
  for (const [i, { subject, body: text }] of body.steps.entries())
    for (const [part, template] of [
      ['subject', subject],
      ['body', text],
    ] as const) {
      const fault = template === undefined ? null : templateFault(template, part);
      if (fault !== null) add(['steps', i, part], fault);
    }
  if (faults.length > 0) throw faultsError('resources', faults);
  const { days, from, to } = body.window;
  return {
    mailbox_ids: body.mailbox_ids,
    time_zone: body.time_zone,
    window: { days: WEEKDAYS.filter((day) => days.includes(day)), from, to },
    daily_limit: body.daily_limit ?? null,
    steps: body.steps.map((step) => ({
      delay_days: step.delay_days,
      subject: step.subject ?? null,
      body: step.body,
      channel: 'email',
    })),
  };
}

function templateFault(text: string, part: 'subject' | 'body'): string | null {
  try {
    validateTemplate(text, part);
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

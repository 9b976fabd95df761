import {
  AssignTag,
  CaptureTag,
  CaseTag,
  defaultOperators,
  Liquid,
  type Context,
  type Emitter,
  type Template,
} from 'liquidjs';

/** The most characters of a rendered message. */
export const MESSAGE_CHARACTERS_MAX = 50_000;
const SUBJECT_CHARACTERS_MAX = 500;
const PARSE_CHARACTERS_MAX = 25_000;
/**
 * The most characters and items that filters may create, and comparisons may read, in one message. It stops templates that double
 * a text again and again.
 */
const MEMORY_MAX = 200_000;
/** Parsed templates in the cache: a sequence has at most ten steps, each rendered for all of its contacts. */
const PARSED_MAX = 200;

const UNBOUNDED_TAGS = 'for tablerow break continue cycle include render layout block increment decrement';
/** Filters that visit every item of a list, like loops do. */
const UNBOUNDED_FILTERS =
  'where where_exp reject reject_exp has has_exp find find_exp find_index find_index_exp group_by_exp';

/** Comparisons that count what they read: a list costs its items each time. */
const OPERATORS = Object.fromEntries(
  Object.entries(defaultOperators).map(([name, compare]) =>
    name === 'and' || name === 'or' || name === 'not'
      ? [name, compare]
      : [
          name,
          (left: unknown, right: unknown, context: Context) => {
            context.memoryLimit.use(sizeOf(left) + sizeOf(right));
            return (compare as (left: unknown, right: unknown) => boolean)(left, right);
          },
        ],
  ),
) as unknown as typeof defaultOperators;

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return Array.isArray(value) ? value.reduce<number>((sum, each) => sum + sizeOf(each), value.length) : 1;
}

/**
 * No loops and no other files, so that rendering costs no more than the length of a message and reads only its variables. A null
 * value counts as missing; `default` and conditions may test for missing variables.
 */
const LIQUID = new Liquid({
  templates: {},
  dynamicPartials: false,
  strictVariables: true,
  strictFilters: true,
  lenientIf: true,
  ownPropertyOnly: true,
  timezoneOffset: 0,
  parseLimit: PARSE_CHARACTERS_MAX,
  memoryLimit: MEMORY_MAX,
  operators: OPERATORS,
});
for (const tag of UNBOUNDED_TAGS.split(' ')) delete LIQUID.tags[tag];
for (const filter of UNBOUNDED_FILTERS.split(' ')) delete LIQUID.filters[filter];
// Some filters of the library, such as url_encode, count nothing themselves.
for (const [name, filter] of Object.entries(LIQUID.filters)) {
  const { handler, raw } = typeof filter === 'function' ? { handler: filter, raw: false } : filter;
  LIQUID.registerFilter(name, {
    raw,
    handler(value: unknown, ...others: unknown[]) {
      this.context.memoryLimit.use(sizeOf(value));
      return handler.call(this, value, ...others) as unknown;
    },
  });
}

/** The library's tag treats a missing variable as empty, so an assignment would hide that it is missing. */
class StrictAssignTag extends AssignTag {
  override *render(context: Context): Generator<unknown, void, unknown> {
    const { key, value } = this as unknown as {
      key: string;
      value: { value: (context: Context, isLenient: boolean) => unknown };
    };
    context.bottom()[key] = yield value.value(context, false);
  }
}
LIQUID.registerTag('assign', StrictAssignTag);

/** The library's tag compares lists without counting. */
class TextCaseTag extends CaseTag {
  override *render(context: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const { value } = this as unknown as {
      value: { value: (context: Context, isLenient: boolean) => unknown };
    };
    if (Array.isArray(yield value.value(context, true))) throw new Error('case takes no list');
    yield* super.render(context, emitter);
  }
}
LIQUID.registerTag('case', TextCaseTag);

/** The library's tag counts nothing, so that a text could double itself with each capture. */
class CountedCaptureTag extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context);
    const { variable } = this as unknown as { variable: string };
    context.memoryLimit.use(sizeOf(context.bottom()[variable]));
  }
}
LIQUID.registerTag('capture', CountedCaptureTag);

/** Reason why a template cannot be parsed, or cannot be rendered with some variables. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';

  constructor(
    message: string,
    /** The part of the step. */
    readonly part: 'subject' | 'body',
    /** The variable that is missing or null; null for any other fault. */
    readonly variable: string | null = null,
  ) {
    super(message);
  }
}

const parsed = new Map<string, Template[]>();

function parseTemplate(text: string, part: 'subject' | 'body'): Template[] {
  const known = parsed.get(text);
  if (known) return known;
  try {
    const templates = LIQUID.parse(text);
    if (parsed.size >= PARSED_MAX) parsed.delete(parsed.keys().next().value!);
    parsed.set(text, templates);
    return templates;
  } catch (error) {
    throw new TemplateError(sentenceOf(error), part);
  }
}

/** @throws TemplateError for a text that is not a template, or uses a tag or filter that messages do not allow */
export function validateTemplate(text: string, part: 'subject' | 'body'): void {
  parseTemplate(text, part);
}

/**
 * Renders a step with the variables of a contact.
 * @returns the subject in one line, null when the step has none, and the body without its footer
 * @throws TemplateError naming the variable that is missing or null
 */
export function renderMessage(
  step: { subject: string | null; body: string },
  variables: Record<string, unknown>,
): { subject: string | null; text: string } {
  const given = Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value !== null && value !== undefined),
  );
  const subject =
    step.subject === null
      ? null
      : renderPart(step.subject, 'subject', given, (text) => text.replace(/[\s\p{Cc}]+/gu, ' '));
  const text = renderPart(step.body, 'body', given, (rendered) => rendered.replace(/\r\n?/g, '\n'));
  return { subject, text };
}

function renderPart(
  template: string,
  part: 'subject' | 'body',
  variables: Record<string, unknown>,
  tidy: (text: string) => string,
): string {
  const charactersMax = part === 'subject' ? SUBJECT_CHARACTERS_MAX : MESSAGE_CHARACTERS_MAX;
  const rendered = renderTemplate(template, part, variables);
  // A template can print a long value thousands of times. Such a text is refused before anything reads it.
  const text = rendered.length > MEMORY_MAX ? rendered : tidy(rendered).trim();
  if (text === '' || text.length > charactersMax)
    throw new TemplateError(text === '' ? 'is empty' : `is longer than ${charactersMax} characters`, part);
  return text;
}

function renderTemplate(text: string, part: 'subject' | 'body', variables: Record<string, unknown>): string {
  const templates = parseTemplate(text, part);
  try {
    return String(LIQUID.renderSync(templates, variables));
  } catch (error) {
    const variable = missingVariable(error);
    throw variable === null
      ? new TemplateError(sentenceOf(error), part)
      : new TemplateError(`has no value for ${variable}`, part, variable);
  }
}

function missingVariable(error: unknown): string | null {
  const { variableName, originalError } = (error ?? {}) as {
    variableName?: unknown;
    originalError?: unknown;
  };
  if (typeof variableName === 'string') return variableName;
  return originalError === undefined ? null : missingVariable(originalError);
}

/** Returns the first line of the parser's message; the others show the template with a caret. */
function sentenceOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : '').split('\n');
  return `is not a valid template: ${line.replace(/, line:\d+, col:\d+$/, '').slice(0, 200) || 'it cannot be read'}`;
}

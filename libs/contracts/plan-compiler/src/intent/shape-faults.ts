import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type JsonObject = Readonly<Record<string, unknown>>;

/** Issue with its path from the root. */
interface PlacedIssue {
  readonly path: readonly PropertyKey[];
  readonly issue: Issue;
}

/**
 * Returns one sentence for each format fault of an intent, each starting with its position. For a union, only the faults of
 * the member that the discriminator selects, and the name of that member.
 */
export function shapeFaults(written: unknown, issues: readonly Issue[]): string[] {
  return issues
    .flatMap((issue) => narrowIssue(written, issue, []))
    .map(({ path, issue }) => {
      const form = formAt(written, path);
      const isMissing = issue.code === 'invalid_type' && valueAt(written, path) === undefined;
      const message = isMissing ? 'is required' : messageOf(issue);
      return `${path.map(String).join('.') || 'intent'}: ${form === null ? '' : `${form}: `}${message}`;
    });
}

/** Replaces an issue of a union by those of the intended member. */
function narrowIssue(written: unknown, issue: Issue, base: readonly PropertyKey[]): PlacedIssue[] {
  const path = [...base, ...issue.path];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, issue }];
  const issuesOfForm = issue.errors[formIndex(valueAt(written, path), issue.errors)];
  if (!issuesOfForm) return [{ path, issue }];
  return issuesOfForm.flatMap((inner) => narrowIssue(written, inner, path));
}

/** Returns the index of the intended member of a union: for filters by their fields, else by the type. */
function formIndex(value: unknown, errors: ReadonlyArray<readonly Issue[]>): number {
  const isOfOtherType = (issues: readonly Issue[]): boolean =>
    issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0);
  const sameType = errors.flatMap((issues, index) => (isOfOtherType(issues) ? [] : [index]));
  if (sameType.length <= 1 || !isObject(value)) return sameType[0] ?? -1;
  // The members of `filter`, in order: directory filter, column check, alternatives.
  const meant = 'either' in value ? 2 : 'column' in value ? 1 : 0;
  return sameType.includes(meant) ? meant : sameType[0]!;
}

function messageOf(issue: Issue): string {
  if (issue.code !== 'invalid_union' || !('options' in issue) || !Array.isArray(issue.options))
    return issue.message;
  return `must be one of ${issue.options.map((option) => JSON.stringify(option)).join(', ')}`;
}

/** Returns the variant of the innermost filter or source that contains a fault; null outside of both. */
function formAt(written: unknown, path: readonly PropertyKey[]): string | null {
  for (let length = path.length; length >= 0; length -= 1) {
    const value = valueAt(written, path.slice(0, length));
    if (!isObject(value)) continue;
    const { of, filter, column, op, kind, from } = value;
    if (typeof of === 'string' && typeof filter === 'string') return `${of} filter "${filter}"`;
    if (typeof column === 'string' && typeof op === 'string') return `column check "${op}"`;
    if (path[length - 1] !== 'source') continue;
    const source = kind ?? from;
    return typeof source === 'string' ? `source "${source}"` : null;
  }
  return null;
}

function valueAt(written: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, step) =>
      (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, step)
        ? (value as JsonObject)[String(step)]
        : undefined,
    written,
  );
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Outcome that an input requests by naming a control domain. Source: docs/contract.md#control-domains. */
export type ControlOutcome =
  | { kind: 'miss' | 'timeout' | 'capacity' | 'provider-error' | 'provider-unavailable' | 'invalid-output' }
  | { kind: 'rejected' | 'interrupted' | 'flaky' | 'deep-miss' | 'deep-fail' }
  | { kind: 'slow'; seconds: number };

const LABEL =
  /(?:^|[/@.])(miss|timeout|capacity|provider-error|provider-unavailable|invalid-output|rejected|interrupted|flaky|deep-miss|deep-fail|slow-(\d{1,3})s)\.sandbox\.test(?:$|[/:?#])/i;
const SLOW_SECONDS_MAX = 120;

/** @returns the outcome requested by the first control domain among the strings of the input; null when there is none */
export function controlOutcome(input: unknown): ControlOutcome | null {
  if (typeof input === 'string') return ofText(input.trim());
  if (typeof input !== 'object' || input === null) return null;
  for (const value of Object.values(input)) {
    const outcome = controlOutcome(value);
    if (outcome) return outcome;
  }
  return null;
}

function ofText(text: string): ControlOutcome | null {
  const match = LABEL.exec(text);
  if (!match) return null;
  if (match[2] === undefined) return { kind: match[1]!.toLowerCase() } as ControlOutcome;
  return { kind: 'slow', seconds: Math.min(Number(match[2]), SLOW_SECONDS_MAX) };
}

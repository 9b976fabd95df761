import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { fingerprintOf } from './fingerprint.js';
import { SandboxControls } from './sandbox-controls.js';

const PROVIDER = 'sandbox';
const SOURCES = { low: 2, medium: 4, high: 8 } as const;
// Pages are dated within the year before a fixed day: with a clock, the same question would not always give the same
// result.
const READ_BEFORE = Date.UTC(2026, 0, 1);
const MINUTES_A_YEAR = 365 * 24 * 60;

/**
 * Fictional research: a result that says it is fictional, with sources below `.example`. The same question always gets the
 * same result.
 */
export class SandboxResearchProvider implements LookupProvider {
  readonly id = PROVIDER;
  readonly services = ['webResearch'] as const;
  private readonly controls = new SandboxControls();

  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    // A question is prose, so a control domain may occur anywhere in it.
    const words = { ...call.input, question: String(call.input.question).split(/\s+/) };
    const control = await this.controls.obeyControl(words, call);
    const question = String(call.input.question);
    if (control?.kind === 'miss')
      return answerOf(PROVIDER, false, { found: false, answer: null, confidence: null, sources: [] });
    const effort = (call.input.effort ?? 'medium') as keyof typeof SOURCES;
    const sources = Array.from({ length: SOURCES[effort] }, (_, i) => sourceAt(question, i));
    const answer = `Sandbox answer to “${question}”: the ${sources.length} fictional sources agree.`;
    return answerOf(PROVIDER, true, { found: true, answer, confidence: 'medium', sources });
  }
}

function sourceAt(question: string, i: number) {
  const seed = fingerprintOf(`${question}|${i}`);
  return {
    url: `https://source-${seed % 9000}.example/articles/${seed}`,
    title: `Fictional article ${seed % 900}`,
    excerpt: 'This page exists in the sandbox only.',
    retrieved_at: new Date(READ_BEFORE - (1 + (seed % MINUTES_A_YEAR)) * 60_000).toISOString(),
  };
}

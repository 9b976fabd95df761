import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { fingerprintOf } from './fingerprint.js';
import { SandboxControls } from './sandbox-controls.js';

const PROVIDER = 'sandbox';
const REACTIONS = ['like', 'celebrate', 'support', 'insightful'];
const SUBJECTS = [
  'pricing',
  'onboarding',
  'hiring',
  'the new release',
  'a customer story',
  'the industry report',
];
const ITEMS_DEFAULT = 20;
/** Percentage of profiles without activity, so that tables have realistic gaps. */
const SILENT_PERCENT = 10;

/** Fictional LinkedIn activity: the same profile always gets the same activity. Control domains decide the outcome. */
export class SandboxActivityProvider implements LookupProvider {
  readonly id = PROVIDER;
  readonly services = ['getLinkedInUserComments', 'getLinkedInUserReactions'] as const;
  private readonly controls = new SandboxControls();

  async answerCall(call: ProviderCall): Promise<ProviderAnswer> {
    const control = await this.controls.obeyControl(call.input, call);
    const url = String(call.input.linkedin_url);
    const isSilent = control?.kind === 'miss' || (!control && fingerprintOf(url) % 100 < SILENT_PERCENT);
    const count = isSilent
      ? 0
      : Math.min(Number(call.input.limit ?? ITEMS_DEFAULT), 1 + (fingerprintOf(`${url}|n`) % 30));
    const isComments = call.service === 'getLinkedInUserComments';
    const items = Array.from({ length: count }, (_, i) =>
      isComments ? commentAt(url, i) : reactionAt(url, i),
    );
    const found = count > 0;
    return answerOf(PROVIDER, found, { found, [isComments ? 'comments' : 'reactions']: items });
  }
}

function postAt(url: string, i: number) {
  const seed = fingerprintOf(`${url}|${i}`);
  // Relative to a fixed date, so that the result does not change from day to day.
  const at = new Date(Date.UTC(2026, 0, 1) - (i * 31 + (seed % 24)) * 3_600_000).toISOString();
  return {
    post_url: `https://www.linkedin.com/posts/sandbox-${seed}`,
    post_author: `Sandbox author ${seed % 900}`,
    at,
  };
}

function commentAt(url: string, i: number) {
  const subject = SUBJECTS[fingerprintOf(`${url}|s${i}`) % SUBJECTS.length];
  return { ...postAt(url, i), text: `A thoughtful point about ${subject}.` };
}

function reactionAt(url: string, i: number) {
  return { ...postAt(url, i), reaction: REACTIONS[fingerprintOf(`${url}|r${i}`) % REACTIONS.length] };
}

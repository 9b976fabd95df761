import { parsedPhone } from './phones.js';
import type { ProviderAnswer, ProviderCall, LookupProvider } from '@quarry/engine';

/** validatePhone, from the numbering plans of the world, which the product brings along. Asks nobody. */
export class PhoneProvider implements LookupProvider {
  readonly id = 'numbering-plans';
  readonly services = ['validatePhone'];

  answerCall({ input }: ProviderCall): Promise<ProviderAnswer> {
    const { phone, country } = input as { phone: string; country?: string };
    const parsed = parsedPhone(phone, country ?? null);
    const output = {
      phone: parsed?.isPossible() ? parsed.number : null,
      valid: parsed?.isValid() ?? false,
      country: parsed?.country ?? null,
      line_type: parsed?.getType()?.toLowerCase() ?? null,
      provider: this.id,
    };
    // A number that cannot exist is an answer, too: every call costs the same.
    return Promise.resolve({ found: true, deep: false, provider: this.id, output });
  }
}

import { parsedPhone } from './phones.js';
import type { ProviderAnswer, ProviderCall, LookupProvider } from '@quarry/engine';

/** Implements validatePhone with the numbering plans that are part of the product. Makes no network call. */
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
    // An impossible number is a result too: every call costs the same.
    return Promise.resolve({ found: true, deep: false, provider: this.id, output });
  }
}

import { parsedPhone } from './phones.js';
import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';

/** Implements validatePhone with the numbering plans that are part of the product. Makes no network call. */
export class PhoneProvider implements LookupProvider {
  readonly id = 'numbering-plans';
  readonly services = ['validatePhone'];

  answerCall({ input }: ProviderCall): Promise<ProviderAnswer> {
    const { phone, country } = input as { phone: string; country?: string };
    const parsed = parsedPhone(phone, country ?? null);
    // An impossible number is a result too: every call costs the same.
    const answer = answerOf(this.id, true, {
      phone: parsed?.isPossible() ? parsed.number : null,
      valid: parsed?.isValid() ?? false,
      country: parsed?.country ?? null,
      line_type: parsed?.getType()?.toLowerCase() ?? null,
    });
    return Promise.resolve(answer);
  }
}

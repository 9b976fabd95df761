import {
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
  type PhoneNumber,
} from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/metadata.max.json' with { type: 'json' };
import type { ProviderAnswer, ProviderCall, LookupProvider } from '../ports/lookup.port.js';

/** validatePhone, from the numbering plans of the world, which the product brings along. Asks nobody. */
export class PhoneProvider implements LookupProvider {
  readonly id = 'numbering-plans';
  readonly services = ['validatePhone'];

  run({ input }: ProviderCall): Promise<ProviderAnswer> {
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

/**
 * @param country ISO 3166-1 alpha-2, for numbers that are written without one; null when it is not known
 * @returns the number that a whole text is; undefined when it is none
 */
export function parsedPhone(text: string, country: string | null): PhoneNumber | undefined {
  const home = country?.toUpperCase() as CountryCode | undefined;
  const known = home !== undefined && isSupportedCountry(home, metadata) ? { defaultCountry: home } : {};
  return parsePhoneNumberFromString(text, { extract: false, ...known }, metadata);
}

import {
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
  type PhoneNumber,
} from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/metadata.max.json' with { type: 'json' };

/** Output of getPhoneNumber without `found` and `provider`. */
export interface PhonesFound {
  phone_number: string;
  phones: PhoneFound[];
}
interface PhoneFound {
  /** E.164. */
  number: string;
  /** ISO 3166-1 alpha-2; ZZ for a number that belongs to no country. */
  country: string;
  line_type: 'mobile' | 'landline' | 'voip' | 'unknown';
  line_status: 'active' | 'inactive' | 'unknown';
  source: string;
}

const LINES: Readonly<Record<string, PhoneFound['line_type']>> = {
  MOBILE: 'mobile',
  FIXED_LINE: 'landline',
  VOIP: 'voip',
};

/**
 * @param numbers best first, as a vendor formats them; those that are not international numbers are skipped
 * @param source name of the vendor
 * @returns null when none is left
 */
export function phonesOf(
  numbers: ReadonlyArray<{ number: string; isMobile?: boolean; country?: string }>,
  source: string,
): PhonesFound | null {
  const phones = numbers.flatMap(({ number, isMobile = false, country }): PhoneFound[] => {
    const parsed = parsedPhone(number, country ?? null);
    if (!parsed?.isPossible()) return [];
    const kind = LINES[parsed.getType() ?? ''] ?? 'unknown';
    return [
      {
        number: parsed.number,
        country: parsed.country ?? 'ZZ',
        line_type: isMobile ? 'mobile' : kind,
        line_status: 'unknown',
        source,
      },
    ];
  });
  const [first] = phones;
  const isFirstOf = ({ number }: PhoneFound, i: number): boolean =>
    phones.findIndex((each) => each.number === number) === i;
  return first ? { phone_number: first.number, phones: phones.filter(isFirstOf) } : null;
}

/**
 * @param country ISO 3166-1 alpha-2, for numbers without a country code; null when unknown
 * @returns the number that the whole text represents; undefined when it is not a number
 */
export function parsedPhone(text: string, country: string | null): PhoneNumber | undefined {
  const home = country?.toUpperCase() as CountryCode | undefined;
  const known = home !== undefined && isSupportedCountry(home, metadata) ? { defaultCountry: home } : {};
  return parsePhoneNumberFromString(text, { extract: false, ...known }, metadata);
}

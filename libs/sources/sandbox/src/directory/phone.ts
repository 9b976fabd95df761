/**
 * Telephone ranges that national authorities reserve for film and fiction, so that no call reaches anybody.
 * US and CA: NANPA, 555-0100 to 555-0199. GB: Ofcom, 020 7946 0xxx. AU: ACMA, (02) 5550 xxxx. FR: ARCEP, 01 99 00 xx xx.
 * DE: Bundesnetzagentur, (030) 23125 xxx. SE: PTS, 08-465 004 xx. IE: ComReg, 020 91x xxxx.
 */
const RANGES: Readonly<Record<string, { prefix: string; digits: number }>> = {
  GB: { prefix: '+442079460', digits: 3 },
  AU: { prefix: '+6125550', digits: 4 },
  FR: { prefix: '+3319900', digits: 4 },
  DE: { prefix: '+493023125', digits: 3 },
  SE: { prefix: '+468465004', digits: 2 },
  IE: { prefix: '+3532091', digits: 5 },
};
const AREA_CODES = [
  '212',
  '415',
  '213',
  '312',
  '617',
  '713',
  '214',
  '206',
  '512',
  '404',
  '202',
  '303',
  '305',
  '215',
  '619',
];
/** 555-0100 to 555-0199. */
const NANPA_NUMBERS = 100;

/**
 * Creates a telephone number that is not assigned to anybody.
 * @param countryCode ISO code; countries without a range of their own get a North American number
 * @param index any whole number from 0; numbers repeat when the range is used up
 * @returns the number in E.164
 */
export function sandboxPhone(countryCode: string, index: number): string {
  const range = RANGES[countryCode];
  if (range) return range.prefix + String(index % 10 ** range.digits).padStart(range.digits, '0');
  const area = AREA_CODES[Math.floor(index / NANPA_NUMBERS) % AREA_CODES.length];
  return `+1${area}55501${String(index % NANPA_NUMBERS).padStart(2, '0')}`;
}

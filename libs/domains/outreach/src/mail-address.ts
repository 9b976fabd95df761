import { domainToASCII } from 'node:url';
import { trimPasted } from '@quarry/dto';

const ADDRESS_MAX = 254;
const LOCAL_PART_MAX = 64;
const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/** @returns the normalised address (lower case, ASCII domain); null for an invalid one */
export function mailAddress(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > 2 * ADDRESS_MAX) return null;
  const text = trimPasted(value).toLowerCase();
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = mailDomain(text.slice(at + 1));
  if (domain === null || local.length > LOCAL_PART_MAX || !LOCAL_PART.test(local)) return null;
  const address = `${local}@${domain}`;
  return address.length <= ADDRESS_MAX ? address : null;
}

/** @returns the normalised domain (lower case, ASCII); null for an invalid one */
export function mailDomain(value: string): string | null {
  const text = trimPasted(value).toLowerCase();
  // Characters of other parts of a URL do not belong to a domain.
  if (/[/\\?#@:%\s]/.test(text)) return null;
  const domain = domainToASCII(text);
  return DOMAIN.test(domain) ? domain : null;
}

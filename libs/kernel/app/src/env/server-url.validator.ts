import { isIP } from 'node:net';
import { ValidateBy } from 'class-validator';

/** Validates the URL of a server, such as `postgres://user@host:5432/name`, with one of the schemes. */
export function IsServerUrl(...schemes: string[]): PropertyDecorator {
  return ValidateBy({
    name: 'isServerUrl',
    validator: {
      validate: (value) => {
        const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
        return url !== null && schemes.includes(url.protocol.slice(0, -1)) && url.hostname !== '';
      },
      defaultMessage: (args) =>
        `${args?.property} must be an address such as ${schemes[0]}://user:password@host:port/name (special characters of a password as %XX)`,
    },
  });
}

/** Validates a list of IP addresses and CIDR networks. */
export function IsNetworkList(): PropertyDecorator {
  return ValidateBy({
    name: 'isNetworkList',
    validator: {
      validate: (value) => Array.isArray(value) && value.every(isNetwork),
      defaultMessage: (args) =>
        `${args?.property} must list addresses or networks in CIDR form, such as 10.0.0.0/8`,
    },
  });
}

function isNetwork(value: unknown): boolean {
  const [address = '', bits, ...rest] = String(value).split('/');
  const bitsMax = isIP(address) === 4 ? 32 : 128;
  return (
    isIP(address) !== 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax))
  );
}

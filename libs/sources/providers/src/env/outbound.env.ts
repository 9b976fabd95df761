import { DESTINATION_KINDS } from '@quarry/dto';
import { EnvVar, toList, IsExistingPath, IsSwitch, IsWholeNumber } from '@quarry/app';
import type { WebSettings } from '@quarry/web-sources';
import { Transform } from 'class-transformer';
import { IsEmail, IsFQDN, IsOptional, Matches } from 'class-validator';

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9.-]*[a-z0-9])?):\d{1,5}$/i;

/** Host name, or DNS zone with a trailing dot; the root zone is a single dot. */
const CONTROL_NAME = /^(?:\.|(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}\.?)$/i;

const DESTINATION_URL = new RegExp(`^(${DESTINATION_KINDS.join('|')})=https?://[^\\s/]+$`);

const BOARD_URL = /^(greenhouse|lever|ashby|recruitee|smartrecruiters)=https?:\/\/[^\s/]+$/;

/**
 * Adds the network variables to an environment class. A mixin, because the apps that read the web have no common base
 * class.
 */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the compiler takes mixins with these parameters only
export function withOutbound<T extends new (...args: any[]) => object>(Base: T) {
  class OutboundEnv extends Base {
    @EnvVar({
      group: 'network',
      description:
        'Hosts of your own network that Quarry may read pages from and send webhooks and mail to: host:port, …',
    })
    @Transform(toList)
    @Matches(HOST_AND_PORT, { each: true, message: 'FETCH_ALLOW_HOSTS must be a list of host:port' })
    FETCH_ALLOW_HOSTS: string[] = [];

    @EnvVar({ group: 'network', description: "Name servers as host:port, …; the system's when not set." })
    @Transform(toList)
    @Matches(HOST_AND_PORT, { each: true, message: 'DNS_SERVERS must be a list of host:port' })
    DNS_SERVERS: string[] = [];

    @EnvVar({
      group: 'network',
      description:
        'Names that check a name server: it must know one of them before another name counts as missing. Zones end with a dot; the root, com and three hosts when not set.',
    })
    @IsOptional()
    @Transform(toList)
    @Matches(CONTROL_NAME, { each: true, message: 'DNS_CONTROL_NAMES must be a list of names' })
    DNS_CONTROL_NAMES?: string[];

    @EnvVar({
      group: 'network',
      description: 'Whether verifyEmail and getEmail ask mail servers, on or off. They never send mail.',
    })
    @IsSwitch()
    SMTP_PROBE: boolean = true;

    @EnvVar({ group: 'network', description: 'Port of mail servers.' })
    @IsWholeNumber(1, 65_535)
    SMTP_PROBE_PORT: number = 25;

    @EnvVar({
      group: 'network',
      description: 'Host name for HELO to mail servers; the address of this machine when not set.',
    })
    @IsOptional()
    @IsFQDN({}, { message: 'SMTP_PROBE_HELO must be the name of a host' })
    SMTP_PROBE_HELO?: string;

    @EnvVar({
      group: 'network',
      description: 'Sender for MAIL FROM to mail servers; the empty sender when not set.',
    })
    @IsOptional()
    @IsEmail({}, { message: 'SMTP_PROBE_FROM must be an e-mail address' })
    SMTP_PROBE_FROM?: string;

    @EnvVar({
      group: 'providers',
      description:
        'Addresses that replace those of job boards, board=https://…, …: greenhouse, lever, ashby, recruitee, smartrecruiters.',
    })
    @Transform(toList)
    @Matches(BOARD_URL, { each: true, message: 'JOB_BOARD_URLS must be a list of board=https://…' })
    JOB_BOARD_URLS: string[] = [];

    @EnvVar({
      group: 'providers',
      description: 'Addresses that replace those of destination vendors, kind=https://…, …',
    })
    @Transform(toList)
    @Matches(DESTINATION_URL, {
      each: true,
      message: 'DESTINATION_URLS must be a list of kind=https://…, of the kinds of destinations',
    })
    DESTINATION_URLS: string[] = [];

    @EnvVar({
      group: 'providers',
      description:
        'Feed (RSS or Atom) for newsSearch, with {query} in place of the words; without it only feeds of named sites.',
    })
    @IsOptional()
    @Matches(/^https?:\/\/\S*\{query\}/, {
      message: 'NEWS_FEED_URL must be a web address with {query} in it',
    })
    NEWS_FEED_URL?: string;

    @EnvVar({
      group: 'network',
      description:
        'Path of Chromium, which renders pages for scrapeUrl, or "auto" for the usual places; none when not set. Pages may take a gigabyte of memory.',
    })
    @IsOptional()
    @IsExistingPath('auto', 'off')
    CHROMIUM_PATH?: string;

    @EnvVar({
      group: 'network',
      description:
        'Sandbox of Chromium, on or off. Switch it off only in a separate container; as root the sandbox does not work.',
    })
    @IsSwitch()
    CHROMIUM_SANDBOX: boolean = true;
  }
  return OutboundEnv;
}

export type OutboundVariables = InstanceType<ReturnType<typeof withOutbound>>;

export function webOf(env: OutboundVariables): WebSettings {
  const { SMTP_PROBE_PORT: port, SMTP_PROBE_HELO: helo = null, SMTP_PROBE_FROM: from = '' } = env;
  return {
    allowHosts: env.FETCH_ALLOW_HOSTS,
    dnsServers: env.DNS_SERVERS,
    ...(env.DNS_CONTROL_NAMES ? { controlNames: env.DNS_CONTROL_NAMES } : {}),
    mail: env.SMTP_PROBE ? { port, helo, from } : null,
    boardUrls: Object.fromEntries(env.JOB_BOARD_URLS.map((each) => each.split('=') as [string, string])),
    newsFeedUrl: env.NEWS_FEED_URL ?? null,
    browser:
      env.CHROMIUM_PATH === undefined || env.CHROMIUM_PATH === 'off'
        ? null
        : {
            path: env.CHROMIUM_PATH === 'auto' ? null : env.CHROMIUM_PATH,
            isSandboxed: env.CHROMIUM_SANDBOX,
          },
  };
}

import type { ProviderAnswer, ProviderCall, LookupProvider } from '../../ports/lookup.port.js';
import { pageFailure } from './page-failure.js';
import type { PageReader } from './page-reader.js';
import type { Page } from './page.js';

interface Network {
  field: string;
  hosts: readonly string[];
  /** What the path of a profile looks like, without the slash at its end. */
  profile: RegExp;
}

/** Networks and the addresses of their profiles; what shares, follows or searches is none. Seen at the networks in 2026. */
const NETWORKS: readonly Network[] = [
  {
    field: 'linkedin_url',
    hosts: ['linkedin.com'],
    profile: /^\/(company|school|showcase|in)\/[^/]+$/,
  },
  {
    field: 'x_url',
    hosts: ['x.com', 'twitter.com'],
    profile: /^\/(?!(share|intent|home|search|hashtag|i)$)\w{1,15}$/i,
  },
  {
    field: 'facebook_url',
    hosts: ['facebook.com', 'fb.com'],
    profile:
      /^\/(?!(sharer|sharer\.php|share\.php|share|dialog|plugins|tr|events|login|help)(\/|$))(pages\/[^/]+\/\d+|people\/[^/]+\/\d+|[\w.-]+|profile\.php)$/i,
  },
  {
    field: 'instagram_url',
    hosts: ['instagram.com'],
    profile: /^\/(?!(p|reel|explore|accounts)(\/|$))[\w.]+$/,
  },
  {
    field: 'youtube_url',
    hosts: ['youtube.com'],
    profile: /^\/(@[\w.-]+|c\/[^/]+|channel\/[\w-]+|user\/[^/]+)$/,
  },
  {
    field: 'github_url',
    hosts: ['github.com'],
    profile: /^\/(?!(about|features|pricing|login|join)$)[a-z0-9](-?[a-z0-9])*$/i,
  },
  { field: 'tiktok_url', hosts: ['tiktok.com'], profile: /^\/@[\w.]+$/ },
];

/** findSocials: the profiles that a company's own home page names. */
export class SocialsProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['findSocials'];

  constructor(private readonly reader: PageReader) {}

  async run({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const page = await this.reader
      .read((input as { domain: string }).domain, { signal })
      .catch(pageFailure(this.id));
    const profiles = profilesOf(page);
    const found = Object.values(profiles).some((url) => url !== null);
    return { found, deep: false, provider: this.id, output: { ...profiles, provider: this.id } };
  }
}

/** @returns by field, the profile that the page says is its own (`sameAs`), else the first that it links; null for none */
export function profilesOf({
  links,
  structured,
}: Pick<Page, 'links' | 'structured'>): Record<string, string | null> {
  const own = structured.flatMap((thing) => {
    const { sameAs } = (thing ?? {}) as { sameAs?: unknown };
    return (Array.isArray(sameAs) ? sameAs : [sameAs]).filter(
      (each): each is string => typeof each === 'string',
    );
  });
  const named = [...own, ...links.map(({ url }) => url)].flatMap((text) => URL.parse(text) ?? []);
  return Object.fromEntries(
    NETWORKS.map((network) => {
      const profile = named.find((url) => isProfile(url, network));
      return [network.field, profile ? canonical(profile) : null];
    }),
  );
}

function isProfile({ hostname, pathname }: URL, { hosts, profile }: Network): boolean {
  const isHost = hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return isHost && profile.test(pathname.replace(/\/+$/, ''));
}

/** Without what tells where a visitor came from; the number of a profile stays. */
function canonical(url: URL): string {
  const id = url.pathname === '/profile.php' ? url.searchParams.get('id') : null;
  return `https://${url.hostname}${url.pathname.replace(/\/+$/, '')}${id === null ? '' : `?id=${id}`}`;
}

import type { ProviderAnswer, ProviderCall, LookupProvider } from '@quarry/engine';
import { readOfHost } from '../pages/page-failure.js';
import type { PageReader } from '../pages/page-reader.js';
import { handleKinship, ownOrganisations } from './company-name.js';
import type { Page } from '../pages/page.js';
import { isA, valuesIn, schemaNodesOf, wordsAt, type SchemaNode } from '@quarry/extraction';

/** Words of links to profiles. */
const NETWORK_WORDS =
  /\b(linked-?in|twitter|x(\.com)?|facebook|fb|yt|ig|li|tw|gh|instagram|insta|you-?tube|git-?hub|tik-?tok|follow|us|our|find|visit|see|on|at|auf|sur|and|the|page|profile|channel|link|to|icon|logo|opens?|in|a|new|tab|window|company|social|folge|uns|suivez|nous)\b|[^\p{L}\p{N}]/giu;

interface Network {
  field: string;
  hosts: readonly string[];
  /** Path of a profile, without the slash at its end. */
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
    profile:
      /^\/(?!(about|features|pricing|login|join|orgs|sponsors|marketplace|topics)(\/|$))[a-z0-9](-?[a-z0-9])*$/i,
  },
  { field: 'tiktok_url', hosts: ['tiktok.com'], profile: /^\/@[\w.]+$/ },
];

/** findSocials: the profiles that a company's own home page names. */
export class SocialsProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['findSocials'];

  constructor(private readonly reader: PageReader) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { domain } = input as { domain: string };
    const page = await readOfHost(this.id, this.reader.readPage(domain, { signal }));
    const profiles = page ? profilesOf(page) : Object.fromEntries(NETWORKS.map(({ field }) => [field, null]));
    const found = Object.values(profiles).some((url) => url !== null);
    return { found, deep: false, provider: this.id, output: { ...profiles, provider: this.id } };
  }
}

type ProfilePage = Pick<Page, 'framing' | 'links' | 'metadata' | 'microdata' | 'structured' | 'title'> & {
  url: string;
};

/**
 * A page links to many profiles: of its people, of customers, of what it talks about. Its own is the one that it describes as its own
 * (`sameAs` of the company), else one whose handle is the company's name, else one of its header, navigation or footer that is shown as
 * nothing but the network, else one whose handle is made of the name.
 * @returns by field; null for none
 */
export function profilesOf(page: ProfilePage): Record<string, string | null> {
  const described = ownNodes(page).flatMap(({ sameAs }) =>
    valuesIn(sameAs).filter((each): each is string => typeof each === 'string'),
  );
  const framing = page.framing.filter(({ label }) => isPlain(label, page));
  return Object.fromEntries(
    NETWORKS.map((network) => {
      const among = (urls: readonly string[]): URL[] =>
        urls
          .flatMap((text) => URL.parse(text) ?? [])
          .map((url) => profileAt(url, page))
          .filter((url) => isProfile(url, network) && !isDefault(url, page));
      const linked = among(page.links.map(({ url }) => url));
      const [same, related] = (['same', 'related'] as const).map((kinship) =>
        companiesFirst(linked.filter((url) => handleKinship(handleOf(url), page) === kinship)),
      );
      const framed = companiesFirst(among(framing.map(({ url }) => url)));
      const own = [...among(described), ...same!, ...framed, ...related!][0];
      return [network.field, own ? canonicalUrl(own) : metaProfile(network, page)];
    }),
  );
}

/** Pages of a profile, which stand below it. */
const BELOW =
  /(?<=\/[^/]+)\/(about|jobs|life|people|posts|mycompany|videos|featured|shorts|streams|playlists|podcasts|community|timeline|photos|reviews|reels|tagged)\/*$/i;
const REDIRECTS = /^lm?\.(facebook|instagram)\.com$/;

/** @returns where a link leads to in the end, without a page below the profile; of a repository of the page's own, its owner */
function profileAt(url: URL, page: ProfilePage): URL {
  const target = REDIRECTS.test(url.hostname) ? URL.parse(url.searchParams.get('u') ?? '') : null;
  const profile = new URL(target ?? url);
  profile.pathname = profile.pathname.replace(/^\/pg(?=\/)/, '').replace(BELOW, '');
  const [owner, repository] = profile.pathname.split('/').filter(Boolean);
  if (/(^|\.)github\.com$/.test(profile.hostname) && repository && handleKinship(owner!, page))
    profile.pathname = `/${owner}`;
  return profile;
}

/** Names of accounts that systems link to until somebody fills them in. */
const DEFAULTS =
  /^(shopify|wix|wixcom|squarespace|wordpress|webflow|weebly|jimdo|godaddy|facebook|meta|twitter|x|instagram|youtube|linkedin|tiktok|github|username|yourcompany|yourpage|yourprofile|example)$/i;

function isDefault(url: URL, page: ProfilePage): boolean {
  return DEFAULTS.test(handleOf(url).replace(/^@/, '')) && handleKinship(handleOf(url), page) === null;
}

/** Returns the profile of a page's publisher as it is shared: the only mark of some sites. */
function metaProfile({ field }: Network, { metadata }: ProfilePage): string | null {
  const account = /^@(\w{1,15})$/.exec(metadata['twitter:site'] ?? '')?.[1];
  if (field === 'x_url' && account) return `https://x.com/${account}`;
  const publisher = URL.parse(metadata['article:publisher'] ?? '');
  const network = NETWORKS.find((each) => each.field === field)!;
  return publisher && isProfile(publisher, network) ? canonicalUrl(publisher) : null;
}

/** Returns the descriptions of the company that a page belongs to, also those without a name. */
function ownNodes(page: ProfilePage): SchemaNode[] {
  const nameless = schemaNodesOf(page).filter(
    (node) =>
      isA(node, /^(Organization|Corporation|LocalBusiness|WebSite)$/) && wordsAt(node, 'name') === null,
  );
  return [...ownOrganisations([page]), ...nameless];
}

/** Nothing but a sign of the network, its name, or a call to follow: a link with a name of its own is somebody's. */
function isPlain(label: string, page: ProfilePage): boolean {
  const words = label.replace(NETWORK_WORDS, '').trim();
  return words === '' || handleKinship(words, page) !== null;
}

/** A person's profile is a company's only where nothing else is: of somebody who works alone. */
function companiesFirst(urls: readonly URL[]): URL[] {
  return urls.toSorted(
    (a, b) => Number(a.pathname.startsWith('/in/')) - Number(b.pathname.startsWith('/in/')),
  );
}

function handleOf({ pathname }: URL): string {
  return pathname.split('/').filter(Boolean).at(-1) ?? '';
}

function isProfile({ hostname, pathname }: URL, { hosts, profile }: Network): boolean {
  const isHost = hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`));
  return isHost && profile.test(pathname.replace(/\/+$/, ''));
}

/** Without what tells where a visitor came from; the number of a profile stays. */
function canonicalUrl(url: URL): string {
  const id = url.pathname === '/profile.php' ? url.searchParams.get('id') : null;
  return `https://${url.hostname}${url.pathname.replace(/\/+$/, '')}${id === null ? '' : `?id=${id}`}`;
}

import { answerOf, type ProviderAnswer, type ProviderCall, type LookupProvider } from '@quarry/engine';
import { readHome } from '../pages/page-failure.js';
import type { PageReader } from '../pages/page-reader.js';
import { handleKinship, ownOrganisations } from './company-name.js';
import type { Page } from '../pages/page.js';
import { isA, valuesIn, schemaNodesOf, wordsAt, type SchemaNode } from '@quarry/extraction';

/** Typical words of links to profiles. */
const NETWORK_WORDS =
  /\b(linked-?in|twitter|x(\.com)?|facebook|fb|yt|ig|li|tw|gh|instagram|insta|you-?tube|git-?hub|tik-?tok|follow|us|our|find|visit|see|on|at|auf|sur|and|the|page|profile|channel|link|to|icon|logo|opens?|in|a|new|tab|window|company|social|folge|uns|suivez|nous)\b|[^\p{L}\p{N}]/giu;

interface Network {
  field: string;
  hosts: readonly string[];
  /** Path of a profile, without a trailing slash. */
  profile: RegExp;
}

/**
 * Social networks and the addresses of their profiles; links for sharing, following or searching do not match. As of 2026.
 */
const NETWORKS: readonly Network[] = [
  { field: 'linkedin_url', hosts: ['linkedin.com'], profile: /^\/(company|school|showcase|in)\/[^/]+$/ },
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

/** Implements findSocials with the profiles on a company's own home page. */
export class SocialsProvider implements LookupProvider {
  readonly id = 'web';
  readonly services = ['findSocials'];

  constructor(private readonly reader: PageReader) {}

  async answerCall({ input, signal }: ProviderCall): Promise<ProviderAnswer> {
    const { domain } = input as { domain: string };
    const page = await readHome(this.id, this.reader, domain, signal);
    const profiles = page ? profilesOf(page) : Object.fromEntries(NETWORKS.map(({ field }) => [field, null]));
    const found = Object.values(profiles).some((url) => url !== null);
    return answerOf(this.id, found, profiles);
  }
}

type ProfilePage = Pick<Page, 'framing' | 'links' | 'metadata' | 'microdata' | 'structured' | 'title'> & {
  url: string;
};

/**
 * Selects a page's own profiles: it also links to those of its people, customers and subjects. In this order: a profile in
 * the company's `sameAs`; one whose handle is the company's name; one in its header, navigation or footer that is labelled
 * only with the network; one whose handle is derived from the name.
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

/** Subpages of a profile. */
const BELOW =
  /(?<=\/[^/]+)\/(about|jobs|life|people|posts|mycompany|videos|featured|shorts|streams|playlists|podcasts|community|timeline|photos|reviews|reels|tagged)\/*$/i;
const REDIRECTS = /^lm?\.(facebook|instagram)\.com$/;

/** @returns the target of a link, without a subpage of the profile; for the page's own repository, its owner */
function profileAt(url: URL, page: ProfilePage): URL {
  const target = REDIRECTS.test(url.hostname) ? URL.parse(url.searchParams.get('u') ?? '') : null;
  const profile = new URL(target ?? url);
  profile.pathname = profile.pathname.replace(/^\/pg(?=\/)/, '').replace(BELOW, '');
  const [owner, repository] = profile.pathname.split('/').filter(Boolean);
  if (/(^|\.)github\.com$/.test(profile.hostname) && repository && handleKinship(owner!, page))
    profile.pathname = `/${owner}`;
  return profile;
}

/** Placeholder accounts that site templates link to until they are configured. */
const DEFAULTS =
  /^(shopify|wix|wixcom|squarespace|wordpress|webflow|weebly|jimdo|godaddy|facebook|meta|twitter|x|instagram|youtube|linkedin|tiktok|github|username|yourcompany|yourpage|yourprofile|example)$/i;

function isDefault(url: URL, page: ProfilePage): boolean {
  return DEFAULTS.test(handleOf(url).replace(/^@/, '')) && handleKinship(handleOf(url), page) === null;
}

/** Returns the publisher's profile in the page's sharing metadata: on some sites the only reference. */
function metaProfile({ field }: Network, { metadata }: ProfilePage): string | null {
  const account = /^@(\w{1,15})$/.exec(metadata['twitter:site'] ?? '')?.[1];
  if (field === 'x_url' && account) return `https://x.com/${account}`;
  const publisher = URL.parse(metadata['article:publisher'] ?? '');
  const network = NETWORKS.find((each) => each.field === field)!;
  return publisher && isProfile(publisher, network) ? canonicalUrl(publisher) : null;
}

/** Returns the nodes that describe the page's company, including those without a name. */
function ownNodes(page: ProfilePage): SchemaNode[] {
  const nameless = schemaNodesOf(page).filter(
    (node) =>
      isA(node, /^(Organization|Corporation|LocalBusiness|WebSite)$/) && wordsAt(node, 'name') === null,
  );
  return [...ownOrganisations([page]), ...nameless];
}

/**
 * Returns true when a link is labelled only with an icon, the network's name, or a call to follow: one with a name belongs
 * to somebody.
 */
function isPlain(label: string, page: ProfilePage): boolean {
  const words = label.replace(NETWORK_WORDS, '').trim();
  return words === '' || handleKinship(words, page) !== null;
}

/** Returns company profiles if there are any: a person's profile only counts for somebody who works alone. */
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

/** Removes tracking parameters; the id of a profile is preserved. */
function canonicalUrl(url: URL): string {
  const id = url.pathname === '/profile.php' ? url.searchParams.get('id') : null;
  return `https://${url.hostname}${url.pathname.replace(/\/+$/, '')}${id === null ? '' : `?id=${id}`}`;
}

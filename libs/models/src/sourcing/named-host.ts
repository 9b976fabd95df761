import { registrableDomain } from '@quarry/dto';

const OF_A_NAME = /[\p{L}\p{N}-]/u;

/** @returns a host as it is compared: in lower case, without `www.` */
export function bareHost(host: string): string {
  return host.toLowerCase().replace(/^www\./, '');
}

/**
 * Looks for a host by its own letters, so that no text makes the work more than its length.
 * @param text in lower case
 * @param host bare, as {@link bareHost} gives it
 * @returns whether the text has the host as a whole name, with or without `www.`, and not as a part of another one
 */
export function namesHost(text: string, host: string): boolean {
  for (let at = text.indexOf(host); at >= 0; at = text.indexOf(host, at + host.length)) {
    const from = text.endsWith('www.', at) ? at - 4 : at;
    if (!continuesBefore(text, from) && !continuesBehind(text, at + host.length)) return true;
  }
  return false;
}

function continuesBefore(text: string, at: number): boolean {
  // A letter outside of the first plane has two units.
  const before = text.slice(Math.max(0, at - 2), at);
  return before.endsWith('.') || OF_A_NAME.test([...before].at(-1) ?? '');
}

/** The dot that ends a sentence does not continue a name. */
function continuesBehind(text: string, at: number): boolean {
  const [first = '', second = ''] = text.slice(at, at + 3);
  return OF_A_NAME.test(first) || (first === '.' && OF_A_NAME.test(second));
}

/** Hosts whose pages are about others: networks, marketplaces, shops of apps, registers of firms. Ours; each is one registrable domain. */
const PLATFORMS = new Set(
  `linkedin.com x.com twitter.com facebook.com fb.com instagram.com threads.net threads.com youtube.com youtu.be tiktok.com pinterest.com
  reddit.com vimeo.com twitch.tv discord.com discord.gg telegram.org t.me whatsapp.com wa.me snapchat.com bsky.app xing.com vk.com
  github.com gitlab.com bitbucket.org npmjs.com huggingface.co stackoverflow.com medium.com substack.com dev.to quora.com
  linktr.ee linktree.com bit.ly wikipedia.org wikidata.org crunchbase.com pitchbook.com glassdoor.com indeed.com
  trustpilot.com yelp.com tripadvisor.com g2.com capterra.com producthunt.com clutch.co northdata.com northdata.de
  upwork.com fiverr.com behance.net dribbble.com patreon.com kickstarter.com eventbrite.com meetup.com
  alibaba.com aliexpress.com walmart.com zalando.com zalando.de willhaben.at booking.com airbnb.com apple.com`.split(
    /\s+/,
  ),
);
/** Under the domains of many countries. */
const PLATFORM_NAMES = new Set(['amazon', 'ebay', 'etsy', 'google']);

/** @returns the site of whom an address is about: its registrable domain, or its host where it has none; null on a host that is about others */
export function siteOf(address: string): string | null {
  const { hostname } = new URL(address);
  const site = registrableDomain(hostname) ?? hostname;
  const isPlatform = PLATFORMS.has(site) || PLATFORM_NAMES.has(site.split('.', 1)[0]!);
  return isPlatform ? null : site;
}

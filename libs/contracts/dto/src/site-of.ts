import { registrableDomain } from './registrable-domain.js';

/**
 * Hosts whose pages are about others: social networks, marketplaces of goods and of domains, app stores, company registers. Our
 * selection; each is a registrable domain.
 */
const PLATFORMS = new Set(
  `linkedin.com x.com twitter.com facebook.com fb.com instagram.com threads.net threads.com youtube.com youtu.be tiktok.com pinterest.com
  reddit.com vimeo.com twitch.tv discord.com discord.gg telegram.org t.me whatsapp.com wa.me snapchat.com bsky.app xing.com vk.com
  github.com gitlab.com bitbucket.org npmjs.com huggingface.co stackoverflow.com medium.com substack.com dev.to quora.com
  linktr.ee linktree.com bit.ly wikipedia.org wikidata.org crunchbase.com pitchbook.com glassdoor.com indeed.com
  trustpilot.com yelp.com tripadvisor.com g2.com capterra.com producthunt.com clutch.co northdata.com northdata.de
  upwork.com fiverr.com behance.net dribbble.com patreon.com kickstarter.com eventbrite.com meetup.com
  sedo.com sedoparking.com afternic.com hugedomains.com dan.com parkingcrew.net bodis.com
  alibaba.com aliexpress.com walmart.com zalando.com zalando.de willhaben.at booking.com airbnb.com apple.com`.split(
    /\s+/,
  ),
);
/** Names of platforms with domains in many countries. */
const PLATFORM_NAMES = new Set(['amazon', 'ebay', 'etsy', 'google']);

/**
 * @returns the site of the subject of an address: its registrable domain, or its host if it has none; null on a host whose
 *   pages are about others
 */
export function siteOf(address: string): string | null {
  const { hostname } = new URL(address);
  const site = registrableDomain(hostname) ?? hostname;
  const isPlatform = PLATFORMS.has(site) || PLATFORM_NAMES.has(site.split('.', 1)[0]!);
  return isPlatform ? null : site;
}

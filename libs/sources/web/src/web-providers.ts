import { MailProbe, OutboundNetwork, type MailProbeOptions, type NetworkSettings } from '@quarry/safe-http';
import type { LookupProvider, WebPages } from '@quarry/engine';
import { DomainSearch } from './company/domain-search.js';
import { EmailPatternProvider } from './company/email-pattern.provider.js';
import { EnrichCompanyProvider } from './company/enrich-company.provider.js';
import { FindDomainProvider } from './company/find-domain.provider.js';
import { LinkedInUrlProvider } from './company/linkedin-url.provider.js';
import { ContactSites } from './contact/contact-sites.js';
import { MailboxChecks } from './contact/mailbox-checks.js';
import { WebContactProvider } from './contact/web-contact.provider.js';
import { DomainInfoProvider } from './domain-info.provider.js';
import { ExtractDataProvider } from './extract/extract-data.provider.js';
import { JobPostingsProvider } from './jobs/job-postings.provider.js';
import { VerifyEmailProvider } from './mail/verify-email.provider.js';
import { PageReader } from './pages/page-reader.js';
import { PageRenderer, type RendererOptions } from './pages/page-renderer.js';
import { ScrapeUrlProvider } from './pages/scrape-url.provider.js';
import { SiteMapProvider } from './pages/site-map.provider.js';
import { SocialsProvider } from './company/socials.provider.js';
import { TechProvider } from './pages/tech.provider.js';
import { FetchedPages } from './research/fetched-pages.js';
import { PhoneProvider } from '@quarry/extraction';
import { ClassifyTextProvider } from './text/classify-text.provider.js';
import { NewsSearchProvider } from './text/news-search.provider.js';

/** User agent name for which sites define rules in their robots.txt. */
const PRODUCT = 'QuarryBot';
const USER_AGENT = `${PRODUCT}/1.0`;

/** Settings for reading the web. */
export interface WebSettings extends NetworkSettings {
  /** Options of connections to mail servers; if omitted, none is contacted. */
  mail?: MailProbeOptions | null;
  /** Addresses that replace those of the job boards, by the id of the board. */
  boardUrls?: Readonly<Record<string, string>>;
  /** Address of a news search feed, with `{query}` in it; if omitted, none. */
  newsFeedUrl?: string | null;
  /** Browser that renders pages on request; if omitted, none. */
  browser?: RendererOptions | null;
}

/** @returns the providers that need only the network and the product itself, and the reader of web pages */
export function webProviders(settings: WebSettings): { lookups: LookupProvider[]; pages: WebPages } {
  const { mail = null, boardUrls = {}, newsFeedUrl = null, browser = null } = settings;
  const network = new OutboundNetwork(settings);
  const { dns, guard } = network;
  const client = network.openClient(USER_AGENT);
  const renderer = browser && PageRenderer.findBrowser(guard, USER_AGENT, browser);
  const reader = new PageReader(client, PRODUCT, { renderer });
  const search = new DomainSearch({ dns, reader });
  const verifyEmail = new VerifyEmailProvider({ dns, probe: mail && new MailProbe(guard, mail) });
  const lookups = [
    new ScrapeUrlProvider(reader),
    new SiteMapProvider(reader),
    new SocialsProvider(reader),
    new TechProvider(reader),
    new DomainInfoProvider({ dns, client, reader }),
    new PhoneProvider(),
    verifyEmail,
    new JobPostingsProvider({ reader, client, boardUrls }),
    new EmailPatternProvider(reader),
    new FindDomainProvider(search),
    new LinkedInUrlProvider(reader, search),
    new EnrichCompanyProvider(reader, search),
    new WebContactProvider({
      sites: new ContactSites({ dns, reader, search }),
      mailboxes: new MailboxChecks(verifyEmail),
    }),
    new NewsSearchProvider({ reader, client, feedUrl: newsFeedUrl }),
    new ClassifyTextProvider(),
    new ExtractDataProvider(reader),
  ];
  return { lookups, pages: new FetchedPages(reader) };
}

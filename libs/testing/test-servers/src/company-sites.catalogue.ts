import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Expected findings on a company's site. */
export interface SiteTruth {
  /** Technologies that the page or its server uses, by the names of the product's table. */
  tech: string[];
  /** Handle of the company's own profile by field, such as `linkedin_url`; missing if it has none. */
  socials: Record<string, string>;
  /** Titles of its open positions. */
  jobs: readonly string[];
}

/** A fictional company, with the pages of its site. */
export interface CompanySite {
  name: string;
  /** Below `.example`. */
  domain: string;
  truth: SiteTruth;
  /** By path; `/` is the home page. */
  pages: Record<string, string>;
  headers: Record<string, string>;
}

interface Names {
  name: string;
  slug: string;
}

/** A part of a page: its markup, and the expected findings because of it. */
interface Part {
  head?: string;
  body?: string;
  headers: Record<string, string>;
  tech: string[];
}

const FIRST =
  'Norwen Halbrook Tessaro Quillan Brunvik Castelmar Dunmore Everlune Fjordal Glenrath Hovesta Ilmari Jorvane Kestwick Lindqvar Marbello Nimbrel Ostrava Pellworm Rosenau'.split(
    ' ',
  );
const SECOND = 'Pumps Analytics Foods Logistics Robotics Health Energy Studios Bikes Software'.split(' ');

/** Systems that generate sites, with their typical markup and response headers. The second WordPress is behind a proxy. */
const STACKS = `
WordPress, jQuery, Apache
  head <meta name="generator" content="WordPress 6.8.1"><link rel="stylesheet" href="/wp-content/themes/astra/style.css?ver=4.11"><script src="/wp-includes/js/jquery/jquery.min.js?ver=3.7.1"></script>
  body <img src="https://www.{slug}.example/wp-content/uploads/2026/03/team-1024x683.jpg" alt="">
  server: Apache/2.4.62 (Debian)
  link: <https://www.{slug}.example/wp-json/>; rel="https://api.w.org/"
WordPress, Cloudflare
  head <link rel='stylesheet' id='elementor-frontend-css' href='/wp-content/plugins/elementor/assets/css/frontend.min.css' media='all' />
  server: cloudflare
  cf-ray: 8f0c1d2e3f4a5b6c-FRA
WordPress, WooCommerce, PHP, Nginx
  head <meta name="generator" content="WooCommerce 9.9.4"><link rel="stylesheet" href="/wp-content/plugins/woocommerce/assets/css/woocommerce.css">
  x-powered-by: PHP/8.3.20
  server: nginx
Shopify, Cloudflare
  head <script>var Shopify = Shopify || {}; Shopify.shop = "s.myshopify.com"; Shopify.theme = {"name":"Dawn","id":1};</script><script src="//cdn.shopify.com/s/files/1/0001/assets/global.js" defer></script>
  x-shopid: 5512
  cf-ray: 8a1b2c3d4e5f6a7b-AMS
  server: cloudflare
Wix
  head <meta name="generator" content="Wix.com Website Builder"/>
  x-wix-request-id: 1758.2211
  server: Pepyaka
Squarespace
  head <script src="//static1.squarespace.com/static/vta/5c5a519771c10ba3470d8101/scripts/site-bundle.js"></script>
  server: Squarespace
Webflow, jQuery
  head <html data-wf-page="6601" data-wf-site="6600"><meta content="Webflow" name="generator"/><script src="https://d3e54v103j8qbb.cloudfront.net/js/jquery-3.5.1.min.dc5e7f18c8.js?site=6600"></script>
HubSpot CMS, HubSpot
  head <meta name="generator" content="HubSpot"><script src="/hs/hsstatic/HubspotToolsMenu/static-1.432/js/index.js"></script><script async src="//js.hs-scripts.com/4411.js"></script>
  x-hs-hub-id: 4411
Drupal, Nginx
  head <meta name="Generator" content="Drupal 10 (https://www.drupal.org)" /><link rel="stylesheet" href="/sites/default/files/css/css_x.css?delta=0">
  x-generator: Drupal 10 (https://www.drupal.org)
  server: nginx/1.26.2
TYPO3, Apache
  head <!-- This website is powered by TYPO3 - inspiring people to share! --><meta name="generator" content="TYPO3 CMS"><link rel="stylesheet" href="/typo3temp/assets/css/7015c8c4ac.css">
  server: Apache
Next.js, Vercel
  head <script id="__NEXT_DATA__" type="application/json">{"page":"/","buildId":"a1"}</script><script src="/_next/static/chunks/main-app-7d0f.js" async></script>
  x-powered-by: Next.js
  x-vercel-id: fra1::iad1::x
  server: Vercel
Nuxt, Netlify
  head <link rel="modulepreload" href="/_nuxt/entry.5f2c.js"><script type="module" src="/_nuxt/entry.5f2c.js"></script>
  body <div id="__nuxt"></div>
  x-nf-request-id: 01J
  server: Netlify
Gatsby, Amazon CloudFront
  head <meta name="generator" content="Gatsby 5.14.3">
  body <div id="___gatsby"><div></div></div>
  x-amz-cf-id: kQ==
  via: 1.1 a.cloudfront.net (CloudFront)
Astro, GitHub Pages, Fastly
  head <meta name="generator" content="Astro v5.8.0">
  x-github-request-id: 9C0A:1
  server: GitHub.com
  x-served-by: cache-fra-eddf8230
  via: 1.1 varnish
Angular, ASP.NET, IIS
  body <app-root ng-version="19.2.1"></app-root><form><input type="hidden" name="__VIEWSTATE" value="x"></form>
  server: Microsoft-IIS/10.0
  x-aspnet-version: 4.0.30319
Ruby on Rails, Heroku
  head <meta name="csrf-param" content="authenticity_token" /><meta name="csrf-token" content="abc" />
  via: 1.1 vegur
  server: Cowboy
  set-cookie: _s=1; path=/; HttpOnly
Django
  set-cookie: csrftoken=Zq; expires=Mon, 23 Nov 2027 10:00:00 GMT; Max-Age=31449600; Path=/
  server: gunicorn
Laravel, PHP, Nginx
  set-cookie: XSRF-TOKEN=e; path=/, laravel_session=e; path=/; httponly
  x-powered-by: PHP/8.4.7
  server: nginx
Magento, PHP
  head <script type="text/x-magento-init">{"*":{"mage/cookies":{}}}</script><script src="/static/version1747400001/frontend/Magento/luma/en_US/requirejs/require.js"></script>
  set-cookie: PHPSESSID=q1; path=/; secure
Caddy
  head <meta name="generator" content="Hugo 0.147.0">
  server: Caddy`;

/** Additional files that sites load. */
const ADDITIONS = `
Google Tag Manager
  head <script>(function(w,d,s,l,i){w[l]=w[l]||[];var f=d.getElementsByTagName(s)[0],j=d.createElement(s);j.async=true;j.src='https://www.googletagmanager.com/gtm.js?id='+i;f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer','GTM-K2X9');</script>
  body <noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-K2X9" height="0" width="0"></iframe></noscript>
Google Analytics
  head <script async src="https://www.googletagmanager.com/gtag/js?id=G-7QX"></script>
Matomo
  body <script>var _paq = window._paq = window._paq || []; _paq.push(['trackPageView']); (function(){var u="//stats.own.example/"; var g=document.createElement('script'); g.src=u+'matomo.js';})();</script>
Plausible
  head <script defer data-domain="x" src="https://plausible.io/js/script.outbound-links.js"></script>
Hotjar
  head <script>(function(h,o,t,j,a,r){h.hj=h.hj||function(){};h._hjSettings={hjid:33,hjsv:6};r=o.createElement('script');r.src=t+h._hjSettings.hjid+j+h._hjSettings.hjsv;})(window,document,'https://static.hotjar.com/c/hotjar-','.js?sv=');</script>
Segment
  head <script>!function(){var analytics=window.analytics=[];var n=document.createElement("script");n.src="https://cdn.segment.com/analytics.js/v1/KEY/analytics.min.js";}();</script>
PostHog
  head <script>posthog.init('phc_1',{api_host:'https://eu.i.posthog.com'})</script>
Intercom
  body <script src="https://widget.intercom.io/widget/abc1" async></script>
Zendesk
  body <script id="ze-snippet" src="https://static.zdassets.com/ekr/snippet.js?key=1"></script>
Crisp
  body <script>window.$crisp=[];(function(){var s=document.createElement("script");s.src="https://client.crisp.chat/l.js";})();</script>
Calendly
  body <div class="calendly-inline-widget" data-url="https://calendly.com/sales-team/30min"></div><script src="https://assets.calendly.com/assets/external/widget.js" async></script>
Stripe
  head <script src="https://js.stripe.com/v3/"></script>
Cookiebot
  head <script id="Cookiebot" src="https://consent.cookiebot.com/uc.js" data-cbid="1"></script>
OneTrust
  head <script src="https://cdn.cookielaw.org/scripttemplates/otSDKStub.js"></script>
Usercentrics
  head <script id="usercentrics-cmp" src="https://web.cmp.usercentrics.eu/ui/loader.js" async></script>
Meta Pixel
  head <script>!function(f,b,e,v){t=b.createElement(e);t.src=v}(window,document,'script','https://connect.facebook.net/en_US/fbevents.js');fbq('init','1');</script>
LinkedIn Insight Tag
  body <script>(function(){var b=document.createElement("script");b.src="https://snap.licdn.com/li.lms-analytics/insight.min.js";})();</script>
Klaviyo
  head <script async src="https://static.klaviyo.com/onsite/js/klaviyo.js?company_id=A1"></script>
Sentry
  head <script src="https://browser.sentry-cdn.com/8.55.0/bundle.min.js" crossorigin="anonymous"></script>
reCAPTCHA
  head <script src="https://www.google.com/recaptcha/api.js?render=6L"></script>`;

/** Parts that mention a technology without using it. */
const TECH_NOISE = `
<ul class="partners"><li><img src="https://www.partner-brewery.example/wp-content/uploads/2024/01/logo.svg" alt="Partner"></li></ul>
<p>Read the study (<a href="https://www.ministry.example/sites/default/files/2025-02/study.pdf">PDF</a>).</p>
<pre><code>&lt;script src="https://widget.intercom.io/widget/YOUR_APP"&gt;&lt;/script&gt; and &lt;link href="/wp-content/themes/x.css"&gt;</code></pre>
<!-- <script>(function(h){})(window,document,'https://static.hotjar.com/c/hotjar-','.js?sv=');</script> switched off in May -->
<p>As seen beside <a href="https://calendly.com/blog">Calendly</a> and <a href="https://www.hubspot.com/">HubSpot</a> at the fair.</p>
<img src="https://cdn.shopify.com/s/files/1/0533/supplier-photo.jpg" alt="Our supplier's new grinder">
<script src="/assets/revue.js"></script><script src="/assets/preact-domain.js"></script>
<p>We migrate shops from Magento and Drupal. Our engineers know React, Angular, Django and Vue.js.</p>
<p>{name} was named beside companies such as Shopify, Intercom and Zendesk.</p>
<a href="https://agency.example/typo3conf/ext/case-study">How our agency works</a>
<p>Unser Newsletter-Archiv: <a href="https://us4.campaign-archive.example/home">Archiv</a></p>
<textarea readonly>&lt;form&gt;&lt;input name="csrfmiddlewaretoken"&gt;&lt;/form&gt; var a = "NREUM.x"</textarea>`;

type SocialsOf = (names: Names) => { body: string; socials?: Record<string, string> };

const icon = (network: string, url: string): string =>
  `<a href="${url}" class="icon-${network}" aria-label="${network}" target="_blank" rel="noopener"><svg></svg></a>`;

/** Pages with the company's own profiles and those of others. */
const SOCIALS: readonly SocialsOf[] = [
  ({ slug }) => ({
    body: `<footer>${icon('LinkedIn', `https://www.linkedin.com/company/${slug}/`)}${icon('X', `https://x.com/${xName(slug)}`)}${icon('Instagram', `https://www.instagram.com/${bare(slug)}/?hl=en`)}</footer>`,
    socials: { linkedin_url: slug, x_url: xName(slug), instagram_url: bare(slug) },
  }),
  ({ name, slug }) => ({
    body: `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'Organization', name, sameAs: [`https://www.linkedin.com/company/${bare(slug)}`, `https://www.youtube.com/@${bare(slug)}`] })}</script>`,
    socials: { linkedin_url: bare(slug), youtube_url: `@${bare(slug)}` },
  }),
  // Profiles of employees come before the company's own links.
  ({ slug }) => ({
    body: `<section class="team"><h3>Ada North</h3><a href="https://www.linkedin.com/in/ada-north-81">LinkedIn</a><a href="https://x.com/adanorth">X</a><h3>Ben South</h3><a href="https://www.linkedin.com/in/bensouth">LinkedIn</a></section>
      <footer>${icon('LinkedIn', `https://de.linkedin.com/company/${slug}`)}${icon('X', `https://twitter.com/${xName(slug)}?ref_src=site`)}</footer>`,
    socials: { linkedin_url: slug, x_url: xName(slug) },
  }),
  // Profiles of people only, none of the company.
  () => ({
    body: `<section id="about"><h2>Founders</h2><p>Clara East <a href="https://www.linkedin.com/in/clara-east">LinkedIn</a> <a href="https://github.com/claraeast">GitHub</a></p></section>`,
  }),
  // Share buttons, on a page without a profile.
  ({ slug }) => ({
    body: `<div class="share"><a href="https://www.facebook.com/sharer/sharer.php?u=https%3A%2F%2F${slug}.example">Share</a><a href="https://twitter.com/intent/tweet?text=x">Tweet</a><a href="https://www.linkedin.com/sharing/share-offsite/?url=x">Share</a><a href="https://www.linkedin.com/shareArticle?mini=true">Share</a></div>`,
  }),
  // A profile of a customer and one of the agency that made the site.
  ({ slug }) => ({
    body: `<blockquote>Great pumps. <a href="https://www.linkedin.com/company/happy-customer-gmbh">Happy Customer GmbH</a></blockquote>
      <footer>${icon('LinkedIn', `https://www.linkedin.com/company/${slug}`)}<p>Site by <a href="https://www.instagram.com/pixel.agency">Pixel Agency</a></p></footer>`,
    socials: { linkedin_url: slug },
  }),
  // An embedded tweet of somebody else, and no profile.
  () => ({
    body: `<blockquote class="twitter-tweet"><p>They are great</p>&mdash; A Fan (@afan) <a href="https://twitter.com/afan/status/1700000000000000000">May 1</a></blockquote>`,
  }),
  ({ slug }) => ({
    body: `<header>${icon('Facebook', `https://www.facebook.com/${bare(slug)}.official/`)}${icon('YouTube', `https://www.youtube.com/channel/UC${bare(slug).slice(0, 6)}x1`)}</header><p><a href="https://www.youtube.com/watch?v=abc">Our film</a></p>`,
    socials: { facebook_url: `${bare(slug)}.official`, youtube_url: `UC${bare(slug).slice(0, 6)}x1` },
  }),
  // Placeholder links of a theme.
  () => ({
    body: `<footer>${icon('Facebook', 'https://www.facebook.com/')}${icon('X', 'https://twitter.com/#')}${icon('LinkedIn', 'https://www.linkedin.com/')}${icon('Instagram', '#')}</footer>`,
  }),
  // An author in structured data, beside the company.
  ({ name, slug }) => ({
    body: `<script type="application/ld+json">${JSON.stringify({
      '@context': 'https://schema.org',
      '@graph': [
        {
          '@type': 'Person',
          name: 'Dora West',
          sameAs: ['https://x.com/dorawest', 'https://www.linkedin.com/in/dora-west'],
        },
        { '@type': 'Organization', name, sameAs: [`https://www.facebook.com/${bare(slug)}`] },
      ],
    })}</script>
      <footer>${icon('LinkedIn', `https://www.linkedin.com/company/${slug}`)}</footer>`,
    socials: { facebook_url: bare(slug), linkedin_url: slug },
  }),
  // Open source: the company's GitHub organisation, and libraries of others.
  ({ slug }) => ({
    body: `<p>Built with <a href="https://github.com/fastify">Fastify</a> and <a href="https://github.com/nodejs/node">Node</a>.</p><nav><a href="https://github.com/${slug}">GitHub</a></nav><footer>${icon('X', `https://x.com/${xName(slug, 'hq')}`)}</footer>`,
    socials: { github_url: slug, x_url: xName(slug, 'hq') },
  }),
  // Handles without the company's name, in the footer.
  ({ slug }) => ({
    body: `<footer><h4>Follow us</h4><a href="https://www.tiktok.com/@weare.${slug.slice(0, 3)}?lang=en">TikTok</a> <a href="https://www.instagram.com/we.are.${slug.slice(0, 3)}">Instagram</a></footer>`,
    socials: { tiktok_url: `@weare.${slug.slice(0, 3)}`, instagram_url: `we.are.${slug.slice(0, 3)}` },
  }),
  // News of others on the home page, no profile of the company.
  () => ({
    body: `<article><h2>What we read</h2><p>A thread by <a href="https://x.com/some_expert">an expert</a>, a talk at <a href="https://www.youtube.com/@bigconference">Big Conference</a>, and a post on <a href="https://www.linkedin.com/company/other-firm">Other Firm</a>.</p></article>`,
  }),
];

interface JobsPart {
  /** Markup of the home page. */
  body: string;
  /** Additional pages. */
  pages?: Record<string, string>;
  jobs?: readonly string[];
}

const ROLES =
  'Welder, Data Engineer, Account Executive, Head of Finance, Warehouse Lead, Nurse, Product Designer'.split(
    ', ',
  );
const careers = '<nav><a href="/careers">Careers</a></nav>';
const posting = (title: string, more: object = {}): string =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', '@type': 'JobPosting', title, datePosted: '2026-10-05', ...more })}</script>`;

/** Pages with open positions, and with lists of positions elsewhere. */
const JOBS: ReadonlyArray<(names: Names, roles: readonly string[]) => JobsPart> = [
  ({ slug }, roles) => ({
    body: careers,
    pages: {
      '/careers': `<h1>Careers</h1><div id="grnhse_app"></div><script src="https://boards.greenhouse.io/embed/job_board/js?for=${bare(slug)}"></script>`,
    },
    jobs: roles,
  }),
  ({ slug }, roles) => ({
    body: careers,
    pages: { '/careers': `<a href="https://jobs.lever.co/${bare(slug)}">See open roles</a>` },
    jobs: roles,
  }),
  ({ slug }, roles) => ({
    body: `<a href="https://jobs.ashbyhq.com/${bare(slug)}">Careers</a>`,
    jobs: roles,
  }),
  ({ slug }, roles) => ({ body: `<a href="https://${bare(slug)}.recruitee.com/">Karriere</a>`, jobs: roles }),
  ({ slug }, roles) => ({
    body: '<a href="/jobs">Jobs</a>',
    pages: { '/jobs': `<a href="https://careers.smartrecruiters.com/${bare(slug)}">All positions</a>` },
    jobs: roles,
  }),
  (_, roles) => ({
    body: '<a href="/karriere">Karriere</a>',
    pages: {
      '/karriere': roles.map((role, n) => `<a href="/karriere/${n}">${role}</a>`).join(''),
      ...Object.fromEntries(roles.map((role, n) => [`/karriere/${n}`, `<h1>${role}</h1>${posting(role)}`])),
    },
    jobs: roles,
  }),
  // A careers page without open positions.
  () => ({
    body: careers,
    pages: { '/careers': '<h1>Careers</h1><p>We have no open positions. Write to us anyway.</p>' },
  }),
  // Expired positions.
  () => ({
    body: careers,
    pages: {
      '/careers': `<h1>Careers</h1>${posting('Sales Manager', { datePosted: '2023-02-01', validThrough: '2023-04-30' })}`,
    },
  }),
  // Positions of another company in an article.
  () => ({
    body: '<article><p>Our friends are hiring: <a href="https://jobs.lever.co/friendlyfirm">open roles at Friendly Firm</a>.</p></article>',
  }),
  // Portfolio companies of an investor, each with its own board.
  () => ({
    body: `<section><h2>Portfolio</h2>${['alphaco', 'betaco', 'gammaco', 'deltaco', 'epsilonco'].map((firm) => `<a href="https://boards.greenhouse.io/${firm}">${firm} is hiring</a>`).join('')}</section>`,
  }),
  // The company's own board on its careers page, and that of a customer on the home page.
  ({ slug }, roles) => ({
    body: `${careers}<p>Customer story: how <a href="https://jobs.ashbyhq.com/bigcustomer">Big Customer</a> hires.</p>`,
    pages: { '/careers': `<iframe src="https://jobs.lever.co/${bare(slug)}?embed=true"></iframe>` },
    jobs: roles,
  }),
  // Recruiting software, whose site is about job boards.
  () => ({
    body: '<p>We connect with Greenhouse, Lever (<a href="https://jobs.lever.co/demo">demo</a>) and <a href="https://docs.recruitee.com/reference">Recruitee</a>. See <a href="https://boards-api.greenhouse.io/v1/boards/example/jobs">an example</a>.</p>',
  }),
  () => ({ body: '<p>Nothing here is about work.</p>' }),
  // A board under another name than the company's.
  ({ slug }, roles) => ({
    body: careers,
    pages: {
      '/careers': `<h1>Join us</h1><a href="https://boards.greenhouse.io/${holding(slug)}">Our openings</a>`,
    },
    jobs: roles,
  }),
];

/** @returns the company's name as used in handles */
export function bare(slug: string): string {
  return slug.replaceAll('-', '');
}

/** @returns a valid handle for X: at most 15 characters */
function xName(slug: string, end = ''): string {
  return bare(slug).slice(0, 15 - end.length) + end;
}

/** @returns a name that differs from the company's */
export function holding(slug: string): string {
  return [...bare(slug)].reverse().join('');
}

/** Parses parts: the technologies of each, then its markup and its response headers. */
function partsOf(text: string): Part[] {
  return linesOf(text).map((part) => {
    const [tech, ...lines] = part.split('\n  ');
    const fields = lines.map(
      (line) => /^(\S+?):? (.*)$/.exec(line)!.slice(1) as [name: string, value: string],
    );
    const { head, body, ...headers } = Object.fromEntries(fields);
    return { tech: tech!.split(', '), head, body, headers };
  });
}

/** @returns the lines of a text; an indented one continues the line before */
function linesOf(text: string): string[] {
  return text.trim().split(/\n(?! )/);
}

/** @returns an item of a list that begins again at its end */
function cycled<Item>(items: readonly Item[], n: number): Item {
  return items[n % items.length]!;
}

function siteOf(n: number): CompanySite {
  const name = `${cycled(FIRST, n)} ${SECOND[Math.floor(n / FIRST.length)]!}`;
  const slug = name.toLowerCase().replaceAll(' ', '-');
  const names = { name, slug };
  const filled = (text: string): string => text.replaceAll('{slug}', slug).replaceAll('{name}', name);
  // Coprime strides, so that all kinds of parts are combined with each other.
  const stack = cycled(partsOf(filled(STACKS)), n);
  const additions = [0, 1, 2].slice(0, n % 4).map((nth) => cycled(partsOf(ADDITIONS), n * 7 + nth * 3));
  const noise = [0, 1].map((nth) => cycled(linesOf(filled(TECH_NOISE)), n * 5 + nth * 7));
  const social = cycled(SOCIALS, n * 3)(names);
  const roles = [0, 1].map((nth) => cycled(ROLES, n + nth * 2)).slice(0, 1 + (n % 2));
  const jobs = cycled(JOBS, n * 3 + Math.floor(n / 14))(names, roles);
  const parts = [stack, ...additions];
  const page = (head: string, body: string): string =>
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${name}</title>${head}</head><body>${body}</body></html>`;
  const home = page(
    parts.map(({ head = '' }) => head).join('\n'),
    [`<h1>${name}</h1>`, jobs.body, ...parts.map(({ body = '' }) => body), ...noise, social.body].join('\n'),
  );
  const pages = Object.fromEntries(
    Object.entries(jobs.pages ?? {}).map(([path, body]) => [path, page('', body)]),
  );
  return {
    name,
    domain: `${slug}.example`,
    pages: { '/': home, ...pages },
    headers: stack.headers,
    truth: {
      tech: [...new Set(parts.flatMap(({ tech }) => tech))],
      socials: social.socials ?? {},
      jobs: jobs.jobs ?? [],
    },
  };
}

/**
 * Fifty more sites, written by hand after real ones, in six languages, by an author who did not know the parsers; with the
 * expected findings of a careful reader. `boards` lists positions by board and company.
 */
export const WRITTEN_SITES = JSON.parse(
  readFileSync(join(import.meta.dirname, '../company-pages.json'), 'utf8'),
) as ReadonlyArray<CompanySite & { boards?: Record<string, string[]> }>;

/** Two hundred companies whose sites combine the typical markup of systems, widgets, networks and job boards. */
export const COMPANY_SITES: readonly CompanySite[] = Array.from({ length: 200 }, (_, n) => siteOf(n));

/** Marks of a technology on a page. */
export interface TechSignature {
  name: string;
  category: string;
  /** Response header, and a pattern of its value. */
  header?: readonly [name: string, value: RegExp];
  /** Name of a cookie. */
  cookie?: RegExp;
  /** Source of a script. */
  script?: RegExp;
  /** Content of the `generator` meta element. */
  generator?: RegExp;
  /** Pattern in a tag. */
  tag?: RegExp;
  /** Pattern in an inline script. */
  inline?: RegExp;
  /** Address of a script, a style or an image of the page's own site. */
  asset?: RegExp;
}

/**
 * Technologies by the marks that they leave on pages or servers according to their documentation. Any one mark is enough.
 */
export const TECH_SIGNATURES: readonly TechSignature[] = [
  {
    name: 'WordPress',
    category: 'cms',
    generator: /^WordPress\b/i,
    asset: /\/wp-(content|includes)\//,
    header: ['link', /api\.w\.org/],
  },
  {
    name: 'WooCommerce',
    category: 'ecommerce',
    generator: /^WooCommerce\b/i,
    asset: /\/plugins\/woocommerce\//,
  },
  {
    name: 'Drupal',
    category: 'cms',
    generator: /^Drupal\b/i,
    header: ['x-generator', /^Drupal/i],
    asset: /\/sites\/default\/files\//,
  },
  { name: 'Joomla', category: 'cms', generator: /^Joomla!/i },
  { name: 'TYPO3', category: 'cms', generator: /^TYPO3\b/i, asset: /\/typo3(conf|temp)\// },
  { name: 'Contao', category: 'cms', generator: /^Contao\b/i },
  { name: 'Ghost', category: 'cms', generator: /^Ghost\b/i },
  { name: 'Webflow', category: 'website builder', generator: /^Webflow\b/i, tag: /\sdata-wf-(page|site)=/ },
  { name: 'Wix', category: 'website builder', generator: /^Wix\.com/i, header: ['x-wix-request-id', /./] },
  {
    name: 'Squarespace',
    category: 'website builder',
    generator: /^Squarespace\b/i,
    script: /static1?\.squarespace\.com/,
    header: ['server', /^Squarespace$/i],
  },
  { name: 'Framer', category: 'website builder', generator: /^Framer\b/i },
  { name: 'Jimdo', category: 'website builder', generator: /^Jimdo/i },
  {
    name: 'Shopify',
    category: 'ecommerce',
    header: ['x-shopid', /./],
    script: /cdn\.shopify\.com/,
    inline: /Shopify\.theme\s*=/,
  },
  { name: 'Shopware', category: 'ecommerce', generator: /^Shopware\b/i, header: ['sw-context-token', /./] },
  {
    name: 'Magento',
    category: 'ecommerce',
    script: /\/static\/version\d+\/frontend\//,
    tag: /text\/x-magento-init/,
  },
  { name: 'PrestaShop', category: 'ecommerce', generator: /^PrestaShop\b/i, cookie: /^PrestaShop-/ },
  { name: 'BigCommerce', category: 'ecommerce', script: /cdn\d*\.bigcommerce\.com/ },
  { name: 'HubSpot CMS', category: 'cms', generator: /^HubSpot\b/i, header: ['x-hs-hub-id', /./] },
  {
    name: 'HubSpot',
    category: 'marketing',
    script: /js[\w-]*\.(hs-scripts|hsforms|hs-analytics)\.(com|net)/,
    tag: /\bclass="hs-cta-wrapper/,
  },
  { name: 'Marketo', category: 'marketing', script: /munchkin\.marketo\.net/, inline: /\bMktoForms2\./ },
  {
    name: 'Pardot',
    category: 'marketing',
    script: /pi\.pardot\.com|pardot\.com\/pd\.js/,
    inline: /\bpiAId\s*=/,
  },
  {
    name: 'Mailchimp',
    category: 'marketing',
    script: /chimpstatic\.com|list-manage\.com/,
    tag: /\.list-manage\.com\/subscribe\/post/,
  },
  { name: 'Klaviyo', category: 'marketing', script: /static\.klaviyo\.com/ },
  { name: 'ActiveCampaign', category: 'marketing', script: /trackcmp\.net|activehosted\.com/ },
  {
    name: 'Google Tag Manager',
    category: 'tag manager',
    script: /googletagmanager\.com\/gtm\.js/,
    inline: /googletagmanager\.com\/gtm\.js/,
    tag: /googletagmanager\.com\/ns\.html\?id=GTM-/,
  },
  {
    name: 'Google Analytics',
    category: 'analytics',
    script: /google-analytics\.com\/|googletagmanager\.com\/gtag\/js(?!\?id=AW-)/,
  },
  {
    name: 'Matomo',
    category: 'analytics',
    script: /\/(matomo|piwik)\.js/,
    inline: /_paq\.push\(/,
    cookie: /^_pk_(id|ses)/,
  },
  { name: 'Plausible', category: 'analytics', script: /plausible\.io\/js\/|\/js\/plausible(\.[\w-]+)*\.js/ },
  { name: 'Fathom', category: 'analytics', script: /cdn\.usefathom\.com/ },
  {
    name: 'Hotjar',
    category: 'analytics',
    script: /static\.hotjar\.com/,
    inline: /static\.hotjar\.com\/c\/hotjar-/,
  },
  {
    name: 'Segment',
    category: 'analytics',
    script: /cdn\.segment\.com\/analytics/,
    inline: /cdn\.segment\.com\/analytics/,
  },
  { name: 'Mixpanel', category: 'analytics', script: /cdn\.mxpnl\.com/, inline: /cdn\.mxpnl\.com/ },
  { name: 'Amplitude', category: 'analytics', script: /cdn\.amplitude\.com/ },
  { name: 'PostHog', category: 'analytics', script: /posthog\.com\/static/, inline: /posthog\.init\(/ },
  {
    name: 'Meta Pixel',
    category: 'advertising',
    inline: /connect\.facebook\.net\/[\w-]+\/fbevents\.js/,
    script: /connect\.facebook\.net\/[\w-]+\/fbevents\.js/,
  },
  {
    name: 'LinkedIn Insight Tag',
    category: 'advertising',
    inline: /snap\.licdn\.com\/li\.lms-analytics/,
    script: /snap\.licdn\.com/,
  },
  {
    name: 'Intercom',
    category: 'customer support',
    script: /widget\.intercom\.io/,
    inline: /widget\.intercom\.io\/widget\//,
  },
  { name: 'Zendesk', category: 'customer support', script: /static\.zdassets\.com/ },
  { name: 'Drift', category: 'customer support', script: /js\.driftt\.com/ },
  {
    name: 'Crisp',
    category: 'customer support',
    script: /client\.crisp\.chat/,
    inline: /client\.crisp\.chat/,
  },
  { name: 'Tawk.to', category: 'customer support', inline: /embed\.tawk\.to/ },
  { name: 'Freshchat', category: 'customer support', script: /wchat\.freshchat\.com/ },
  {
    name: 'Calendly',
    category: 'scheduling',
    script: /assets\.calendly\.com/,
    // A booking page; the listed paths are Calendly's own pages.
    tag: /https:\/\/calendly\.com\/(?!(blog|features|pricing|integrations|solutions|resources|about|help|enterprise|login|signup|teams|customers|scheduling|app)\b)[\w-]+/,
  },
  { name: 'Stripe', category: 'payments', script: /js\.stripe\.com/ },
  { name: 'PayPal', category: 'payments', script: /paypal\.com\/sdk\/js/ },
  { name: 'Klarna', category: 'payments', script: /klarna(cdn|services)\.(net|com)|js\.klarna\.com/ },
  { name: 'Usercentrics', category: 'consent', script: /usercentrics\.eu/ },
  { name: 'Cookiebot', category: 'consent', script: /consent\.cookiebot\.com/ },
  { name: 'OneTrust', category: 'consent', script: /cdn\.cookielaw\.org|otSDKStub/ },
  {
    name: 'Next.js',
    category: 'framework',
    header: ['x-powered-by', /^Next\.js/],
    tag: /\sid="__NEXT_DATA__"/,
    script: /\/_next\/static\//,
  },
  { name: 'Nuxt', category: 'framework', tag: /\sid="__nuxt"/, script: /\/_nuxt\// },
  { name: 'Gatsby', category: 'framework', generator: /^Gatsby\b/i, tag: /\sid="___gatsby"/ },
  { name: 'Astro', category: 'framework', generator: /^Astro\b/i },
  { name: 'Angular', category: 'framework', tag: /\sng-version="/ },
  {
    name: 'jQuery',
    category: 'library',
    script: /(^|[/_.-])jquery(-\d[\d.]*)?(\.slim)?(\.min)?(\.[0-9a-f]{6,})?\.js/i,
  },
  {
    name: 'React',
    category: 'library',
    tag: /\sdata-react(root|-helmet)\b/,
    script: /(^|[/_.-])react-dom(\.production)?(\.min)?\.js/,
  },
  {
    name: 'Vue.js',
    category: 'library',
    tag: /\sdata-v-[0-9a-f]{8}\b/,
    script: /(^|[/_.-])vue(\.global|\.runtime)?(\.prod)?(\.min)?\.js/,
  },
  { name: 'Laravel', category: 'framework', cookie: /^laravel_session$/ },
  { name: 'Django', category: 'framework', cookie: /^csrftoken$/, tag: /name="csrfmiddlewaretoken"/ },
  { name: 'Ruby on Rails', category: 'framework', tag: /name="csrf-param" content="authenticity_token"/ },
  {
    name: 'ASP.NET',
    category: 'framework',
    header: ['x-aspnet-version', /./],
    cookie: /^(ASP\.NET_SessionId$|\.AspNetCore\.)/,
    tag: /name="__VIEWSTATE"/,
  },
  { name: 'PHP', category: 'language', header: ['x-powered-by', /^PHP/i], cookie: /^PHPSESSID$/ },
  { name: 'Express', category: 'framework', header: ['x-powered-by', /^Express$/] },
  { name: 'Nginx', category: 'server', header: ['server', /^nginx\b/i] },
  { name: 'Apache', category: 'server', header: ['server', /^Apache\b/i] },
  { name: 'IIS', category: 'server', header: ['server', /^Microsoft-IIS\b/i] },
  { name: 'Caddy', category: 'server', header: ['server', /^Caddy\b/i] },
  { name: 'Cloudflare', category: 'cdn', header: ['cf-ray', /./] },
  { name: 'Fastly', category: 'cdn', header: ['x-served-by', /^cache-/] },
  { name: 'Amazon CloudFront', category: 'cdn', header: ['via', /\(CloudFront\)/i] },
  { name: 'Akamai', category: 'cdn', header: ['x-akamai-transformed', /./] },
  { name: 'Vercel', category: 'hosting', header: ['x-vercel-id', /./] },
  { name: 'Netlify', category: 'hosting', header: ['x-nf-request-id', /./] },
  { name: 'GitHub Pages', category: 'hosting', header: ['x-github-request-id', /./] },
  { name: 'Heroku', category: 'hosting', header: ['via', /\bvegur\b/] },
  { name: 'reCAPTCHA', category: 'security', script: /\/recaptcha\/(api|enterprise)\.js/ },
  { name: 'hCaptcha', category: 'security', script: /js\.hcaptcha\.com/ },
  { name: 'Sentry', category: 'monitoring', script: /browser\.sentry-cdn\.com|js\.sentry-cdn\.com/ },
  { name: 'Datadog RUM', category: 'monitoring', script: /datadoghq-browser-agent\.com/ },
  { name: 'New Relic', category: 'monitoring', inline: /NREUM\.|js-agent\.newrelic\.com/ },
];

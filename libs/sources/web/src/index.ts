export { WebCompanies, type WebEngine } from './company/web-companies.js';
export { webProviders, type WebSettings } from './web-providers.js';

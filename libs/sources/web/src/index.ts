export { webProviders, type WebSettings } from './web-providers.js';

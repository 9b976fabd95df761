export { BoughtRecords, vendorDirectories } from './vendor-directory.js';
export { vendorRates } from './vendor-rates.js';
export { servicesOf, VendorProvider, type VendorSetup } from './vendor.provider.js';
export type { Vendor, VendorSettings } from './vendor.js';
export { VENDORS, vendorsOf } from './vendors.js';

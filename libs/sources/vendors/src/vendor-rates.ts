import type { Rate } from '@quarry/resilience';
import type { Vendor, VendorLimits } from './vendor.js';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** @returns the rates of a vendor's services; services without limits of their own share the vendor's */
export function vendorRates(vendor: Vendor): (service: string) => readonly Rate[] {
  const shared = ratesOf(vendor.limits);
  const own = new Map(
    Object.entries({ ...vendor.services, ...vendor.searches }).flatMap(([name, { limits }]) =>
      limits ? [[name, ratesOf(limits)] as const] : [],
    ),
  );
  return (service) => own.get(service) ?? shared;
}

function ratesOf({ perSecond, perMinute }: VendorLimits): Rate[] {
  return [
    ...(perSecond === undefined ? [] : [{ calls: perSecond, windowMs: SECOND_MS }]),
    ...(perMinute === undefined ? [] : [{ calls: perMinute, windowMs: MINUTE_MS }]),
  ];
}

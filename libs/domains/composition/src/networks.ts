import type { OutreachNetwork } from '@quarry/outreach';
import { webOf, type OutboundVariables } from '@quarry/providers';
import type { WebhookNetwork } from '@quarry/webhooks';

/** @returns the network rules of webhooks */
export function webhookNetworkOf(env: OutboundVariables): WebhookNetwork {
  const { allowHosts, dnsServers, controlNames } = webOf(env);
  const destinationUrls = Object.fromEntries(
    env.DESTINATION_URLS.map((each) => each.split('=') as [string, string]),
  );
  return { allowHosts, dnsServers, destinationUrls, ...(controlNames ? { controlNames } : {}) };
}

/** @param baseUrl public address of the API for recipients of messages. @returns the network rules of outreach */
export function outreachNetworkOf(env: OutboundVariables, baseUrl: string): OutreachNetwork {
  const { allowHosts, dnsServers, controlNames } = webOf(env);
  return {
    allowHosts,
    dnsServers,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    ...(controlNames ? { controlNames } : {}),
  };
}

import {
  ProviderFailure,
  type ProviderAnswer,
  type ProviderCall,
  type LookupProvider,
} from './ports/lookup.port.js';

/**
 * Asks the providers of a service in order until one finds something. A provider that finds nothing or fails hands
 * on to the next; the last word is the best that was heard: a find, else a negative answer, else the failure.
 */
export class Waterfall {
  constructor(private readonly providers: readonly LookupProvider[]) {}

  /** @returns ids of the providers that answer a service, in the order in which they are asked. */
  providersOf(service: string): string[] {
    return this.providers
      .filter((provider) => provider.services.includes(service))
      .map((provider) => provider.id);
  }

  /** @throws ProviderFailure `provider_unavailable` when nobody answers this service, else the last failure */
  async run(call: ProviderCall): Promise<ProviderAnswer> {
    let negative: ProviderAnswer | null = null;
    let failure: unknown = new ProviderFailure(
      'provider_unavailable',
      'No provider is configured for this service.',
      { provider: null },
    );
    for (const provider of this.providers.filter((each) => each.services.includes(call.service))) {
      try {
        const answer = await provider.run(call);
        if (answer.found) return answer;
        negative ??= answer;
      } catch (error) {
        if (call.signal.aborted) throw error;
        failure = error;
      }
    }
    if (negative) return negative;
    throw failure;
  }
}

import { randomUUID } from 'node:crypto';
import { FAST_SERVICES_RPC, faultsError, SERVICES_RPC } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import { findService, inputFaults } from '@quarry/service-catalog';
import { z } from 'zod';
import { partOf } from '../answer-size.js';
import { creditsOf } from '../credits.js';
import type { ToolCall } from '../tool-call.js';
import { NoProviderError } from '../tool-error.js';
import { defineTool, EFFECTS } from '../tool.js';
import { args, id, keyOf, spending } from './arguments.js';

export const serviceExecute = defineTool({
  name: 'service_execute',
  title: 'Run a fast service',
  description:
    'Runs one fast service of the catalogue (search, scrape, enrich, verify) and returns its answer and what it cost. Read the input schema with service_discover first. Charged when it answers; send idempotency_key so that a repeated call is not charged again.',
  input: args({
    service: id('Name of a fast service.'),
    input: z.record(z.string(), z.unknown()).describe('Matches the input schema of the service.'),
    ...spending,
    skip: z
      .int()
      .min(0)
      .default(0)
      .describe(
        'Continues reading an answer from this position, free: repeat the rest of the call unchanged.',
      ),
  }),
  output: null,
  effects: EFFECTS.spends,
  rateClass: 'services',
  style: 'services',
  holdsForeignText: true,
  charge: 'the price of the service, when it answers',
  spend: async ({ service: name, input }) => {
    const service = findService(name);
    // The call itself will be rejected with the reason, free of charge, so there is nothing to confirm.
    if (service?.mode !== 'fast' || inputFaults(service, input).length > 0) return null;
    const worstCase = creditsOf(service.worstCase(input));
    return { worstCase, what: name, estimate: { max: worstCase } };
  },
  async run({ service, input, skip, ...rest }, call) {
    if (skip > 0 && keyOf(rest) === null)
      throw faultsError('services', [
        { path: ['skip'], message: 'skip needs the idempotency_key of the answer to continue' },
      ]);
    // Always with a key: the part of an output that does not fit can be read elsewhere without a second charge.
    const idempotencyKey = keyOf(rest) ?? `mcp-${randomUUID()}`;
    const { output, credits } = await call
      .readRpc(FAST_SERVICES_RPC.run, { service, input, idempotencyKey })
      .catch(async (error: unknown) => {
        const isMissing = error instanceof AppError && (await lacksProvider(service, error, call));
        throw isMissing ? new NoProviderError(error) : error;
      });
    const beside = { service, credits, truncated: false, more: null, idempotency_key: idempotencyKey };
    const { answer, place } = partOf(output as Record<string, unknown>, skip, (part) => ({
      ...beside,
      output: part,
    }));
    if (place === null) return answer;
    const { unit, from, to, of } = place;
    const worstCase = creditsOf(findService(service)!.worstCase(input));
    const more =
      to < of
        ? `These are ${unit} ${from + 1} to ${to} of ${of}. For more, repeat the call with skip ${to}, max_credits ${worstCase} and idempotency_key ${idempotencyKey}: that is free.`
        : null;
    return { ...answer, truncated: to < of, more };
  },
});

/** Returns whether a service failed because it has no provider here, which no retry changes. */
async function lacksProvider(name: string, { code }: AppError, call: ToolCall): Promise<boolean> {
  if (code !== 'capability_error') return false;
  const { available } = await call.readRpc(SERVICES_RPC.getService, { name });
  return available === false;
}

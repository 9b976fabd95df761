import { parseResource, SERVICES_RPC } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import type { RpcTransport } from '@quarry/rpc';

/** @returns whether a service is fast or slow. @throws AppError not_found when there is no such service */
export async function serviceMode(rpc: RpcTransport, ctx: Ctx, name: string): Promise<'fast' | 'slow'> {
  return parseResource(await rpc.call(ctx, SERVICES_RPC.getService, { name })).mode;
}

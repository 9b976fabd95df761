import { Controller } from '@nestjs/common';
import { FAST_SERVICES_RPC, jsonText, ServiceAnswer, type RequestOf } from '@quarry/dto';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { FastServiceRunner } from './fast-service.runner.js';

/** Handles direct calls. */
@Controller()
export class FastServicesController {
  constructor(private readonly runner: FastServiceRunner) {}

  @Answers(FAST_SERVICES_RPC.run)
  async runService(
    ctx: Ctx,
    { service, input, idempotencyKey, runId, rowIndex }: RequestOf<typeof FAST_SERVICES_RPC.run>,
  ) {
    const caller =
      runId === undefined ? null : { runId, ...(rowIndex === undefined ? {} : { inputIndex: rowIndex }) };
    return jsonText(ServiceAnswer, await this.runner.runService(ctx, service, input, idempotencyKey, caller));
  }
}

import { Controller } from '@nestjs/common';
import { jsonText, Service, ServicePage, SERVICES_RPC, type RequestOf } from '@quarry/dto';
import { AppError } from '@quarry/error-codes';
import type { Ctx } from '@quarry/app';
import { Answers } from '@quarry/rpc';
import { Providers } from '@quarry/engine';
import { findService } from '@quarry/service-catalog';
import { catalogueItem, catalogueList, type CatalogueAnswerers } from './catalogue-json.js';

type Rpc = typeof SERVICES_RPC;

/** Answers calls about the services on sale, with their providers in the caller's mode. */
@Controller()
export class CatalogueController {
  constructor(private readonly providers: Providers) {}

  @Answers(SERVICES_RPC.listServices)
  async listServices(ctx: Ctx, query: RequestOf<Rpc['listServices']>) {
    return jsonText(ServicePage, catalogueList(query, await this.readAnswerers(ctx), ctx.mode));
  }

  /** @throws AppError not_found */
  @Answers(SERVICES_RPC.getService)
  async getService(ctx: Ctx, { name }: RequestOf<Rpc['getService']>) {
    const service = findService(name);
    if (!service) throw new AppError('not_found', 'Service not found.');
    return jsonText(Service, catalogueItem(service, await this.readAnswerers(ctx), ctx.mode));
  }

  private async readAnswerers(ctx: Ctx): Promise<CatalogueAnswerers> {
    return {
      providersOf: await this.providers.providersFor(ctx),
      unavailableReason: (service, mode) => this.providers.unavailableReason(service, mode),
    };
  }
}

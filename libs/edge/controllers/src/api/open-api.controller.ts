import { Controller, Get, Inject } from '@nestjs/common';
import { Documented, JsonRoute } from '@quarry/http';
import { OPEN_API } from '../tokens.js';

/** Serves the description of this API. Without a key, because it contains no data. */
@Controller()
export class OpenApiController {
  private text: string | null = null;

  constructor(@Inject(OPEN_API) private readonly describe: () => Record<string, unknown>) {}

  @Documented({
    isInternal: true,
    summary: 'Reads this description.',
    answers: { 200: { description: 'OpenAPI 3.1.', body: 'json' } },
  })
  @Get('openapi.json')
  @JsonRoute({ access: 'open', query: 'validated' })
  getDescription(): string {
    return (this.text ??= JSON.stringify(this.describe()));
  }
}

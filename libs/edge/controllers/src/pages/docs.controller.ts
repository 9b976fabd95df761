import { Controller, Get, Header, Headers, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { DOCS_PAGE, DOCS_POLICY, DOCS_START, docsFile } from './docs-page.js';
import { SAMPLES_CSS } from './docs-samples.js';
import { Policy, takesEncoding } from '@quarry/http';

const JAVASCRIPT = 'text/javascript; charset=utf-8';
/** File names have no version, so a new version is seen after an hour at the latest. */
const AN_HOUR = 'public, max-age=3600';

/** Serves the description of the API as a page to read and to try requests. Not a part of the API itself. */
@Controller('docs')
export class DocsController {
  @Get()
  @Policy({ access: 'open' })
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', DOCS_POLICY)
  @Header('Referrer-Policy', 'no-referrer')
  @Header('Cross-Origin-Opener-Policy', 'same-origin')
  getPage(): string {
    return DOCS_PAGE;
  }

  @Get('start.js')
  @Policy({ access: 'open' })
  @Header('Content-Type', JAVASCRIPT)
  @Header('Cache-Control', AN_HOUR)
  getStartPage(): string {
    return DOCS_START;
  }

  @Get('samples.css')
  @Policy({ access: 'open' })
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', AN_HOUR)
  samplesStyle(): string {
    return SAMPLES_CSS;
  }

  @Get('swagger-ui-bundle.js')
  @Policy({ access: 'open' })
  @Header('Content-Type', JAVASCRIPT)
  @Header('Cache-Control', AN_HOUR)
  getScript(
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return fileFor(reply, 'swagger-ui-bundle.js', accepted);
  }

  @Get('swagger-ui.css')
  @Policy({ access: 'open' })
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', AN_HOUR)
  getStyle(
    @Headers('accept-encoding') accepted: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Buffer> {
    return fileFor(reply, 'swagger-ui.css', accepted);
  }
}

async function fileFor(
  reply: FastifyReply,
  name: Parameters<typeof docsFile>[0],
  accepted: string | undefined,
): Promise<Buffer> {
  const { plain, gzipped } = await docsFile(name);
  reply.header('Vary', 'Accept-Encoding');
  if (!takesEncoding(accepted, 'gzip')) return plain;
  reply.header('Content-Encoding', 'gzip');
  return gzipped;
}

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';

/** Path of the application; everything below it except its API is a file or a screen. */
export const APP_ROOT = '/app/';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Encodings of compressed files from the build, the smallest first. */
const ENCODINGS = [
  { coding: 'br', suffix: '.br' },
  { coding: 'gzip', suffix: '.gz' },
] as const;

const PAGE = 'index.html';
/** File names in this folder contain a hash of their content. */
const HASHED = 'assets/';

/** Only this application's own files: no inline script or style, no frame, no text evaluated as a script. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'X-Content-Type-Options': 'nosniff',
};

interface WebFile {
  type: string;
  cacheControl: string;
  etag: string;
  plain: Buffer;
  encoded: Partial<Record<(typeof ENCODINGS)[number]['coding'], Buffer>>;
}

/** Answer to a request for an address of the application. */
export interface WebAnswer {
  status: 200 | 302 | 304;
  headers: Record<string, string>;
  body: Buffer | null;
}

/** The parts of a request that determine the answer. */
export interface WebRequest {
  path: string;
  accept: string | undefined;
  acceptEncoding: string | undefined;
  ifNoneMatch: string | undefined;
}

/**
 * The files of the web application, read once into memory. An address is only looked up among their names, and never used as a
 * path.
 */
export class WebFiles {
  private constructor(private readonly files: ReadonlyMap<string, WebFile>) {}

  /** Reads the built files of a folder; a missing folder has none. */
  static readFile(folder: string | null): WebFiles {
    if (folder === null || !existsSync(join(folder, PAGE))) return new WebFiles(new Map());
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'));
    const known = new Set(names);
    const files = names
      .filter((name) => TYPES[extname(name)] !== undefined)
      .map((name) => [name, fileOf(folder, name, known)] as const);
    return new WebFiles(new Map(files));
  }

  /** @returns the answer for an address at or below /app; null for a 404 */
  findAnswer(request: WebRequest): WebAnswer | null {
    const { path } = request;
    if (path === '/app') return redirectToApp();
    const name = path === APP_ROOT ? PAGE : path.slice(APP_ROOT.length);
    const file = this.files.get(name) ?? (takesHtml(request.accept) ? this.files.get(PAGE) : undefined);
    return file ? answerOf(file, request) : null;
  }

  /** @returns the redirect for a person who opens the bare address; null for programs, and without an application */
  findWelcome(accept: string | undefined): WebAnswer | null {
    return this.files.size > 0 && takesHtml(accept) ? redirectToApp() : null;
  }
}

/** @returns the build folder of the web application's package; null when it is not installed */
export function packagedWebFolder(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@quarry/web/package.json')), 'dist');
  } catch {
    return null;
  }
}

function fileOf(folder: string, name: string, known: ReadonlySet<string>): WebFile {
  const plain = readFileSync(join(folder, name));
  const made = ENCODINGS.filter(({ suffix }) => known.has(name + suffix));
  return {
    type: TYPES[extname(name)]!,
    cacheControl: cachingOf(name),
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`,
    plain,
    encoded: Object.fromEntries(
      made.map(({ coding, suffix }) => [coding, readFileSync(join(folder, name + suffix))]),
    ),
  };
}

function cachingOf(name: string): string {
  if (name.startsWith(HASHED)) return 'public, max-age=31536000, immutable';
  return name === PAGE ? 'no-store' : 'public, no-cache';
}

function answerOf(file: WebFile, { acceptEncoding, ifNoneMatch }: WebRequest): WebAnswer {
  const headers: Record<string, string> = {
    ...HEADERS,
    'Cache-Control': file.cacheControl,
    ETag: file.etag,
    Vary: 'Accept, Accept-Encoding',
  };
  if (ifNoneMatch === file.etag) return { status: 304, headers, body: null };
  headers['Content-Type'] = file.type;
  const coding = ENCODINGS.map((each) => each.coding).find(
    (each) => file.encoded[each] !== undefined && takesEncoding(acceptEncoding, each),
  );
  if (coding === undefined) return { status: 200, headers, body: file.plain };
  return { status: 200, headers: { ...headers, 'Content-Encoding': coding }, body: file.encoded[coding]! };
}

function redirectToApp(): WebAnswer {
  return {
    status: 302,
    headers: { Location: APP_ROOT, 'Cache-Control': 'no-store', Vary: 'Accept' },
    body: null,
  };
}

/** Returns whether a client accepts HTML explicitly: a wildcard alone comes from a program, or for a missing image. */
function takesHtml(accept: string | undefined): boolean {
  return parseWeights(accept).some(([type, weight]) => type === 'text/html' && weight > 0);
}

/** @returns whether a client accepts an encoding. Source: RFC 9110, 12.5.3 */
export function takesEncoding(acceptEncoding: string | undefined, coding: string): boolean {
  return parseWeights(acceptEncoding).some(([name, weight]) => name === coding && weight > 0);
}

function parseWeights(header: string | undefined): Array<[name: string, weight: number]> {
  return (header ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
      const weight = parameters.find((each) => each.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))];
    });
}

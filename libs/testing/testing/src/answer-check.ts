import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const DOCUMENT = join(import.meta.dirname, '../../../../docs/openapi.json');
/** Maximum size: larger responses are lists of items that smaller ones contain as well. */
const BYTES_MAX = 2_000_000;

interface Reference {
  $ref?: string;
}
interface Answer extends Reference {
  content?: Record<string, { schema: object }>;
  /** Error codes that a response may contain. */
  'x-codes'?: string[];
}
interface Operation {
  operationId: string;
  responses: Record<string, Answer>;
}
interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Answer> };
}

/** Validates responses of the product against its OpenAPI description. */
export class AnswerCheck {
  private readonly ajv = new Ajv2020({ strict: false, validateFormats: false });
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly templates: Array<{ pattern: RegExp; path: string }>;

  private constructor(private readonly description: Description) {
    this.ajv.addSchema(description, 'api');
    this.templates = Object.keys(description.paths)
      // Paths with fewer parameters are matched first, as OpenAPI specifies.
      .sort((a, b) => a.split('{').length - b.split('{').length)
      .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));
  }

  /** Reads the description in the repository. */
  static open(): AnswerCheck {
    return new AnswerCheck(JSON.parse(readFileSync(DOCUMENT, 'utf8')) as Description);
  }

  /**
   * @param body text of the response
   * @returns its first fault, as a sentence; null if it matches the description
   */
  faultOf(method: string, path: string, status: number, contentType: string, body: string): string | null {
    const found = this.templates.find(({ pattern }) => pattern.test(path));
    const operation = found && this.description.paths[found.path]![method.toLowerCase()];
    const answer = operation ? (operation.responses[status] ?? operation.responses.default) : undefined;
    if (operation && !operation.responses[status] && status < 400)
      return `${operation.operationId} answers ${status}, which is not described.`;
    const { content, 'x-codes': codes } = this.resolved(answer ?? { $ref: '#/components/responses/Refused' });
    const type = contentType.split(';')[0]!;
    if (!content) return body === '' ? null : `${found?.path} answers ${status} with a body.`;
    if (!content[type]) return `${found?.path} answers ${status} as ${contentType}.`;
    if (type !== 'application/json' || body.length > BYTES_MAX) return null;
    const validate = this.validatorOf(content[type].schema);
    const name = operation?.operationId ?? 'an unknown route';
    const parsed = JSON.parse(body) as { error?: { code?: string } };
    if (validate(parsed)) {
      const code = parsed.error?.code;
      return codes && code !== undefined && !codes.includes(code)
        ? `${name} answers ${status} ${code}, which is not described.`
        : null;
    }
    return `${name} answers ${status} not as described: ${this.ajv.errorsText(validate.errors)}\n${body.slice(0, 2000)}`;
  }

  private resolved(answer: Answer): Answer {
    const name = answer.$ref?.split('/').at(-1);
    return name === undefined ? answer : this.description.components.responses[name]!;
  }

  private validatorOf(schema: object): ValidateFunction {
    const text = JSON.stringify(schema);
    const known = this.compiled.get(text);
    if (known) return known;
    const validate = this.ajv.compile(JSON.parse(text.replaceAll('"#/', '"api#/')) as object);
    this.compiled.set(text, validate);
    return validate;
  }
}

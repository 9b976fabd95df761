import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsNotEmpty,
  IsObject,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { IsThousandths } from './credits.js';
import { Optional } from './optional.js';
import { DigitsInt, OffsetPageQuery } from './pages.js';

export const GO_STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export const GO_STOP_REASONS = ['complete', 'budget', 'time', 'no_evidence', 'cancelled', 'error'] as const;
export const GO_EFFORTS = ['low', 'medium', 'high'] as const;
export type GoEffort = (typeof GO_EFFORTS)[number];

/** Maximum number of addresses: one page costs one credit, and no effort may spend more than sixty. */
const URLS_MAX = 60;
const URL_CHARACTERS_MAX = 2_048;
const DOMAINS_MAX = 100;
const DOMAIN = /^(?=.{1,253}$)(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u;
const WEB = { require_tld: false, require_protocol: true, protocols: ['http', 'https'] };
const IS_DOMAIN = { each: true, message: 'each of $property must be a domain, such as example.com' };

/** Body of POST /v1/go/run and POST /v1/go/runs. */
export class CreateGoRunRequest {
  /** Question of the research. 20,000 characters, as for a run. */
  @IsString()
  @IsNotEmpty()
  @MaxLength(20_000)
  @Matches(/\S/, { message: '$property must not be blank' })
  prompt!: string;
  /** JSON Schema of the output, an object; validated by the service. */
  @Optional() @IsObject() schema?: Record<string, unknown>;
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(URLS_MAX)
  @IsString({ each: true, message: 'each of $property must be a string' })
  @MaxLength(URL_CHARACTERS_MAX, { each: true })
  @IsUrl(WEB, { each: true, message: 'each of $property must be an address with http or https' })
  urls?: string[];
  @Optional() @IsIn(GO_EFFORTS) effort?: GoEffort;
  /** Maximum cost in credits, at least the price of one step. */
  @Optional()
  @IsThousandths()
  @Min(1)
  @Max(1000)
  max_credits?: number;
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(DOMAINS_MAX)
  @Matches(DOMAIN, IS_DOMAIN)
  include_domains?: string[];
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(DOMAINS_MAX)
  @Matches(DOMAIN, IS_DOMAIN)
  exclude_domains?: string[];
}

/** Query of GET /v1/go/runs. */
export class GoRunListQuery extends OffsetPageQuery {
  @Optional() @IsIn(GO_STATUSES) status?: (typeof GO_STATUSES)[number];
}

/** Query of GET /v1/go/runs/{id}. */
export class GoRunReadQuery {
  /** Longest time that the response is held, in seconds. */
  @DigitsInt(0, 60) wait_seconds: number = 0;
}

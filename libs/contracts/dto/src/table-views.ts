import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsString,
  MaxLength,
  IsNotEmpty,
  ValidateNested,
} from 'class-validator';
import { Optional } from './optional.js';
import { DigitsInt, OffsetPageQuery } from './pages.js';

const KEY_MAX = 64;
/** Maximum number of rows of a window. Source: docs/contract.md#10-the-web-application. */
const WINDOW_MAX = 500;
const POSITION_MAX = 2_000_000_000;

/** Comparisons of a column's value. */
export const FILTER_OPERATORS = [
  'eq',
  'ne',
  'contains',
  'gt',
  'gte',
  'lt',
  'lte',
  'in',
  'empty',
  'filled',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

const FIT_STATUSES = ['qualified', 'disqualified', 'unknown'] as const;

/** Column by which rows are sorted. */
export class ViewSort {
  @IsString() @IsNotEmpty() @MaxLength(KEY_MAX) key!: string;
  @IsIn(['asc', 'desc']) direction!: 'asc' | 'desc';
}

/** Condition on the value of a column. */
export class ViewFilter {
  @IsString() @IsNotEmpty() @MaxLength(KEY_MAX) key!: string;
  @IsIn(FILTER_OPERATORS) op!: FilterOperator;
  /** A text, number or boolean; a list of them for `in`; none for `empty` and `filled`. */
  @Optional() value?: unknown;
}

/** Query of GET /v1/tables. */
export class TableListQuery extends OffsetPageQuery {
  /** Part of the name, ignoring case. */
  @Optional() @IsString() @IsNotEmpty() @MaxLength(200) q?: string;
  @Optional() @IsString() @IsNotEmpty() workspace_id?: string;
}

/** Body of POST /v1/tables/{id}/views. */
export class CreateViewRequest {
  @Optional()
  @IsArray()
  @ArrayMaxSize(5)
  @ValidateNested({ each: true })
  @Type(() => ViewSort)
  sort?: ViewSort[];
  @Optional()
  @IsArray()
  @ArrayMaxSize(20)
  @ValidateNested({ each: true })
  @Type(() => ViewFilter)
  filter?: ViewFilter[];
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(3)
  @IsIn(FIT_STATUSES, { each: true, message: `each of $property must be one of ${FIT_STATUSES.join(', ')}` })
  fit?: Array<(typeof FIT_STATUSES)[number]>;
  @Optional() @IsString() @IsNotEmpty() @MaxLength(200) query?: string;
}

/** Query of GET /v1/tables/{id}/window. */
export class WindowQuery {
  @DigitsInt(0, POSITION_MAX) from: number = 0;
  @DigitsInt(1, WINDOW_MAX) count: number = 200;
  @Optional() @IsString() view?: string;
}

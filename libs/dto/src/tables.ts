/** Kinds of a column. Source: contract decisions, section 4. */
export const COLUMN_KINDS = [
  'text',
  'number',
  'boolean',
  'date',
  'url',
  'domain',
  'email',
  'phone',
  'linkedin_url',
  'list',
  'experiences',
  'educations',
  'object',
] as const;
export type ColumnKind = (typeof COLUMN_KINDS)[number];

export const QUALIFICATION_EFFECTS = ['require', 'prefer', 'exclude'] as const;
export type QualificationEffect = (typeof QUALIFICATION_EFFECTS)[number];

/** `{}` for a column without a criterion. */
export type Qualification = Record<string, never> | { criterion: string; effect: QualificationEffect };

export interface ColumnJson {
  key: string;
  name: string;
  kind: ColumnKind;
  qualification: Qualification;
}

export type FitStatus = 'qualified' | 'disqualified' | 'unknown';

export interface FitCounts {
  qualified: number;
  disqualified: number;
  unknown: number;
}

export interface TableJson {
  id: string;
  workspace_id: string;
  name: string;
  columns: ColumnJson[];
  row_count: number;
  fit_counts: FitCounts;
  links: { self: string; rows: string };
}

export interface Citation {
  url: string;
  title: string | null;
  excerpt: string | null;
  retrieved_at: string;
}

/** What is known about one value, beyond the value. */
export interface CellJson {
  status: 'filled' | 'empty' | 'pending' | 'failed' | 'skipped';
  confidence: 'low' | 'medium' | 'high' | null;
  reasoning: string | null;
  citations: Citation[];
  source: { service: string; provider: string; job_id: string | null } | null;
  error: { code: string; message: string } | null;
  updated_at: string;
}

export interface FitJson {
  status: FitStatus;
  /** Share of the judged criteria that speak for the row, 0 to 1; null when none was judged. */
  score: number | null;
  reason: string | null;
  criteria: Array<{ column_key: string; verdict: FitStatus; reason: string }>;
}

export interface RowJson {
  id: string;
  values: Record<string, unknown>;
  cells: Record<string, CellJson>;
  fit: FitJson;
}

import type { CompanyRecord, EducationRecord, ExperienceRecord, PersonRecord } from '@quarry/directory';
import { roleOfTitle } from '@quarry/vocabulary';
import { FieldReader } from './field-reader.js';
import { RejectedLine } from './rejected-line.js';
import { companyCells, personCells, type Cells } from './row-cells.js';
import { UnknownWords } from './unknown-words.js';
import { companyRecord, personRecord } from './row-records.js';

/** Values of a source, by the fields of an imported file (docs/directories.md); unknown ones are omitted. */
export type SourceFields = Readonly<
  Record<string, string | number | boolean | readonly unknown[] | null | undefined>
>;

/** Values of a person; jobs and schools without a required field are omitted. */
export type SourcedPerson = SourceFields & {
  readonly experiences?: ReadonlyArray<Readonly<Record<keyof ExperienceRecord, unknown>>>;
  readonly educations?: ReadonlyArray<Readonly<Record<keyof EducationRecord, unknown>>>;
};

/** Maximum length of a text in an import; a longer description is truncated. */
const TEXT_MAX = 10_000;

/**
 * Converts a company to the vocabulary, like the import of a file.
 * @returns null when it has no name, or has texts that cannot be stored
 */
export function companyOf(fields: SourceFields): CompanyRecord | null {
  const cells = cellsOf(fields, companyCells);
  return cells && companyRecord(cells);
}

/**
 * @param fields those of the company start with `company_`; `seniority` is used when the title names no level
 * @returns null without first and last name, or without a company
 */
export function personOf(fields: SourcedPerson): PersonRecord | null {
  const { title, experiences = [], educations = [] } = fields;
  const ofTitle = typeof title === 'string' ? roleOfTitle(title) : null;
  const cells = cellsOf(
    {
      ...fields,
      seniority: ofTitle?.seniority ?? fields.seniority,
      department: ofTitle?.department ?? fields.department,
      experiences: null,
      educations: null,
    },
    personCells,
  );
  return (
    cells && {
      ...personRecord(cells),
      experiences: experiences.filter(isExperience),
      educations: educations.filter(isEducation),
    }
  );
}

function isExperience(each: Readonly<Record<keyof ExperienceRecord, unknown>>): each is ExperienceRecord {
  return [each.title, each.company].every(isText) && typeof each.start_year === 'number';
}

function isEducation(each: Readonly<Record<keyof EducationRecord, unknown>>): each is EducationRecord {
  return [each.school, each.degree, each.field].every(isText) && typeof each.end_year === 'number';
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

function cellsOf(fields: SourceFields, read: (reader: FieldReader) => Cells): Cells | null {
  const known = Object.entries(fields).flatMap(([key, value]) => {
    const text = textOf(value);
    return text === '' ? [] : [[key, text] as const];
  });
  const mapping = new Map(known.map(([key], i) => [key, i]));
  const reader = new FieldReader(mapping, new UnknownWords()).turnTo(known.map(([, text]) => text));
  try {
    return read(reader);
  } catch (error) {
    if (error instanceof RejectedLine) return null;
    throw error;
  }
}

function textOf(value: SourceFields[string]): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.length === 0 ? '' : JSON.stringify(value);
  return String(value as string | number | boolean).slice(0, TEXT_MAX);
}

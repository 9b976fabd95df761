export { nameIn, textIn } from './contacts/contact-input.js';
export { isTitle, PersonName } from './contacts/person-name.js';
export { PhoneProvider } from './contacts/phone.provider.js';
export { parsedPhone, phonesOf, type PhonesFound } from './contacts/phones.js';
export { factsOf, type Fact } from './pages/page-facts.js';
export { SchemaFiller, type FilledField } from './pages/schema-filler.js';
export { isA, nodeAt, schemaNodesOf, valuesIn, wordsAt, type SchemaNode } from './pages/schema-nodes.js';
export type { FieldSchema } from './pages/typed-value.js';
export { Evidence, type EvidencePage, type ProofRange } from './proof/evidence.js';
export { foldText } from './proof/folded-text.js';
export { proveClaim, proveQuote, ReadPageText } from './proof/prove-claim.js';
export {
  pointerStep,
  REFUSALS,
  type BasisEntry,
  type OutputSchema,
  type ProvedCitation,
  type VerifiedOutput,
} from './proof/verified-output.js';
export { FieldReader, type FieldMapping } from './records/field-reader.js';
export { industryWords } from './records/industry-words.catalogue.js';
export { parsedSize } from './records/normalise-numbers.js';
export { departmentIn, industryIn, seniorityIn } from './records/normalise-words.js';
export { matchesNothing, namesOf } from './records/query-filters.js';
export { hostOf } from './records/record-keys.js';
export { companyOf, personOf, type SourcedPerson, type SourceFields } from './records/record-of-fields.js';
export { capPerCompany, compareCompanies, comparePeople } from './records/record-order.js';
export { RejectedLine } from './records/rejected-line.js';
export { companyCells, personCells, type Cell, type Cells } from './records/row-cells.js';
export { companyRecord, personRecord } from './records/row-records.js';
export { UnknownWords, type UnknownField } from './records/unknown-words.js';
export { classifyText as classify } from './text/text-classifier.js';

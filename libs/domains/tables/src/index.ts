export { TablesModule } from './tables.module.js';
export { TableWriterModule } from './table-writer.module.js';
export { TableWriter } from './writer/table-writer.js';
export { EnrichableRows } from './writer/enrichable-rows.js';
export { TableReader } from './writer/table-reader.js';
export type {
  NewRow,
  NewTable,
  RowChange,
  RowFit,
  StoredRow,
  TableProfile,
  TableSummary,
} from './writer/table-writer.types.js';
export { RunReader } from './frozen/frozen-tables.store.js';
export { TableFreezer, type FrozenTable } from './frozen/table-freezer.js';
export { ARCHIVED_DAYS, tableRetention } from './archived-workspaces.js';
export { ExclusionMatcher, type ExclusionCandidate } from './exclusions/exclusion-matcher.js';
export { linkedinAddress } from './exclusions/linkedin-address.js';
export { FileImporter } from './files/file-importer.js';
export { CsvSource } from './files/csv-source.js';
export { TableFileWriter } from './files/table-file.js';
export { orgOfTable, orgOfWorkspace } from './files/table-owner.js';
export { eraseWorkspaceName, tableErasure } from './erasure/erase-from-tables.js';

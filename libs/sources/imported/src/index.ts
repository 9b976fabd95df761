export type { DirectoryFile } from './import/directory-file.js';
export { DirectoryImporter, type ImportOrder, type ImportReport } from './import/directory-importer.js';
export { findMapping, guessMapping, type MappingGuess } from './import/find-mapping.js';
export { JsonLinesFile } from './import/json-lines.file.js';
export { ImportedDirectories, type DirectoryOrder } from './imported-directories.js';
export { ImportedCompanies } from './search/imported-directory.js';
export { DirectoryStore, type DirectorySummary } from './tables/directory.store.js';
export { ErasedPeople } from './tables/erased-people.js';
export { DIRECTORY_KINDS, type DirectoryKind } from './tables/target-fields.catalogue.js';
